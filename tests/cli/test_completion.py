"""Tab in a shell: commands, options, values, measures, and the columns of a file."""

import shutil
import subprocess

import pytest
from tests.cli.terminal import SOURCE, program, screen, seen, terminal

from clearbar.cli._commands import COMMANDS, SHELLS
from clearbar.cli._completion import candidates


def of(line):
    """What the last word of a line may become; the line ends in a blank where a new one begins."""
    words = line.split(" ")
    return candidates(["clearbar", *words], len(words))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("ev", ["evaluate"]),
        ("evaluate --y", ["--y-true", "--y-pred", "--y-score"]),
        ("evaluate preds.csv --y-true ", ["y", "tree", "coin", "country", "score"]),
        ("evaluate preds.csv --y-true = c", ["coin", "country"]),
        ("evaluate preds.csv --y-true y --y-pred tree c", ["coin", "country"]),
        ("evaluate preds.csv --nulls ", ["raise", "drop"]),
        ("check --measure mc", ["mcc"]),
        ("explain brier", ["brier_score"]),
        ("completion ", list(SHELLS)),
    ],
)
def test_words_are_completed(folder, line, wanted):
    found = of(line)
    assert [word for word in found if word in wanted] == wanted if wanted else found == []


def test_every_command_and_option_is_known():
    assert set(of("")) == {*COMMANDS, "--help", "--version"}
    for name, command in COMMANDS.items():
        options = {option for option in command.options if option.startswith("-")}
        assert set(of(f"{name} -")) == {*options, "--help"}


def test_whatever_is_wrong_nobody_is_disturbed(run, folder):
    (folder / "odd.csv").write_text("", encoding="utf-8")
    for words in (("bash", "x"), (), ("bash", "4", "clearbar", "evaluate", "odd.csv", "--y-true", "")):
        code, out, err = run("--complete", *words)
        assert (code, out.strip(), err) == (0, "", "")


def test_bash_calls_it(folder, run):
    bash = shutil.which("bash") or pytest.skip("bash is not installed")
    (folder / "odd.csv").write_text("y,odd name\n1,1\n", encoding="utf-8")
    script = run("completion", "bash")[1]
    asked = f"{script}\nCOMP_WORDS=(clearbar evaluate odd.csv --y-true o)\nCOMP_CWORD=4\n_clearbar\n"
    asked += 'printf "%s|" "${COMPREPLY[@]}"; complete -p clearbar'
    path = f"{program(folder / 'bin')}:/usr/bin:/bin"
    found = subprocess.run([bash, "-c", asked], env={"PATH": path, "PYTHONPATH": SOURCE},
                           capture_output=True, text=True, check=True)  # fmt: skip
    assert found.stdout == "'odd name'|complete -o default -F _clearbar clearbar\n"


def test_fish_calls_it(folder, run):
    fish = shutil.which("fish") or pytest.skip("fish is not installed")
    (folder / "clearbar.fish").write_text(run("completion", "fish")[1], encoding="utf-8")
    path = f"{program(folder / 'bin')}:/usr/bin:/bin"
    found = subprocess.run(
        [fish, "-c", "source clearbar.fish; complete -C 'clearbar evaluate preds.csv --y-true c'"],
        env={"PATH": path, "PYTHONPATH": SOURCE, "HOME": str(folder)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout.split() == ["coin", "country"]


@pytest.mark.slow
def test_zsh_calls_it_when_tab_is_pressed(folder, run):
    zsh = shutil.which("zsh") or pytest.skip("zsh is not installed")
    setup = f"autoload -Uz compinit; compinit -u -D\nPS1='> '\n{run('completion', 'zsh')[1]}"
    (folder / ".zshrc").write_text(setup, encoding="utf-8")
    env = {"ZDOTDIR": str(folder), "PATH": f"{program(folder / 'bin')}:/usr/bin:/bin"}
    with terminal(f"cd {folder}; {zsh} -i", 100, 24, env=env) as ask:
        seen(ask, ">")
        ask("send-keys", "clearbar evaluate preds.csv --y-true cou", "Tab")
        assert seen(ask, "--y-true country")
        ask("send-keys", "--", "--y-p", "Tab")
        seen(ask, "--y-true country --y-pred")
        assert not any("command not found" in line for line in screen(ask))
