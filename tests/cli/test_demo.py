"""``clearbar demo``."""

import clearbar as cb
from clearbar.cli._completion import _NO_MODELS, _columns
from clearbar.cli._parser import parse

FAILING = {"diabetes": {"decision_tree"}, "wisconsin": set()}


def card(name):
    columns = _columns(name)
    models = {model: column for model, column in columns.items() if model not in _NO_MODELS}
    return cb.evaluate(columns["y_true"], models)


def test_demo_prints_a_scorecard_for_each_data_set_and_a_command(run):
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    assert out.index("Diabetes: progression above the median\n====") < out.index("Wisconsin breast cancer")
    for name in FAILING:
        assert card(name).to_text() in out
    assert out.count("✗ below the bar") == 1
    assert out.splitlines()[-1].strip() == "clearbar evaluate FILE --y-true COLUMN --y-pred COLUMN"
    assert parse(out.splitlines()[-1].split()[1:]).files == ["FILE"]


def test_demo_writes_a_file_to_try_the_other_commands_on_and_overwrites_none(run, refused, tmp_path):
    path = tmp_path / "predictions.csv"
    code, out, _ = run("demo", "--csv", str(path))
    assert (code, out.split(" are in ")[0]) == (0, "442 predictions of five classifiers")
    assert run("evaluate", str(path), "--y-true", "y_true", "--y-pred", "naive_bayes")[0] == 0
    assert refused("demo", "--csv", str(path)).endswith("is there already; give --csv another name.")
