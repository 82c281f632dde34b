"""Names that are long, slices as JSON, and a summary in the wrong place."""

import json

import pytest

pytestmark = pytest.mark.quick

LONG = "x" * 10_000


@pytest.fixture
def wide(folder):
    (folder / "long.csv").write_text(f"{LONG},y,p\n1,1,0\n0,1,1\n1,0,0\n0,0,1\n", encoding="utf-8")
    (folder / "twice.csv").write_text(f"{LONG},{LONG},p\n1,1,0\n0,1,1\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("long.csv", "--y-true", "y", "--y-pred", "q"),
        ("long.csv", "--y-true", "yy", "--y-pred", "p"),
        ("long.csv", "--y-true", LONG[:-1], "--y-pred", "p"),
        ("long.csv", "--y-true", "y"),
        ("long.csv", "--y-pred", "p"),
        ("long.csv", "--y-true", LONG, "--y-pred", LONG),
        ("long.csv", "--y-true", "y", "--y-pred", LONG, "--pos-label", "7"),
        ("twice.csv", "--y-true", LONG, "--y-pred", "p"),
        ("preds.csv", "--y-true", "y", "--y-pred", LONG),
        ("preds.csv", "--y-true", "y", "--y-pred", "tree", "--by", LONG),
    ],
    ids=["pred", "true", "near", "no pred", "no true", "same", "label", "twice", "absent", "by"],
)
def test_messages_shorten_long_names(wide, refused, words):
    assert len(refused("check", *words)) < 500


def test_slices_are_part_of_the_document(folder, run):
    words = ("evaluate", "preds.csv", "--y-true", "y", "--y-pred", "tree", "--by", "country", "--json")
    plain = json.loads(run(*words, "--measure", "mcc")[1])
    code, out, err = run(*words, "--measure", "mcc", "f1", "--slices")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert "slices" not in plain
    assert [row["measure"] for row in found["slices"]] == ["mcc"] * 3 + ["f1"] * 3
    assert {row["group"] for row in found["slices"]} == {"nl", "de", "fr"}
    standing = {(row["measure"], row["group"]): row["standing"] for row in found["slices"]}
    assert {standing["mcc", country] for country in ("nl", "de", "fr")} == {"clears surely"}
    for row in found["slices"]:
        sure = row["score"] > row["bar"] and row["p_adjusted"] <= 0.05
        assert (row["standing"] == "clears surely") == sure


def test_a_folder_is_no_summary(folder, refused):
    (folder / "out").mkdir()
    words = ("check", "preds.csv", "--y-true", "y", "--y-pred", "tree", "--summary", "out")
    assert refused(*words).endswith("summary.md.")
