import random

import pytest

from clearbar.cli import main


@pytest.fixture
def run(capsys):
    """Run the command line; return its exit code, standard output and standard error."""

    def run(*words):
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def refused(run):
    """Run what must be refused; return the one line on standard error, without the program's name."""

    def refused(*words):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert err.startswith("clearbar: ")
        assert err.count("\n") == 1
        return err.removeprefix("clearbar: ").rstrip("\n")

    return refused


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one, with predictions in it."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(1)  # noqa: S311 - not for secrets
    rows = ["y,tree,coin,country,score"]
    for _ in range(200):
        y = rng.random() < 0.5
        tree, coin = y if rng.random() < 0.8 else not y, rng.random() < 0.5
        country = rng.choice(["nl", "de", "fr"])
        rows.append(f"{y:d},{tree:d},{coin:d},{country},{rng.random()}")
    (tmp_path / "preds.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    mail = ["label,filter", *["spam,spam"] * 20, *["ham,ham"] * 30, *["ham,spam"] * 5, *["spam,ham"] * 5]
    (tmp_path / "mail.csv").write_text("\n".join(mail) + "\n", encoding="utf-8")
    return tmp_path
