"""What stands on a terminal of 50, 80 and 120 columns, cell by cell: nothing is wider, nothing is torn."""

import itertools
import random
import re
import shlex
import sys

import pytest
from tests.cli.terminal import screen, seen, terminal

pytestmark = pytest.mark.slow

WIDTHS = (50, 80, 120)
OLD, NEW = "p_of_the_old_model_2024", "p_of_the_new_model_2025"
TABLE = ("long names.csv", "--y-true", "y")
BOTH = (*TABLE, "--y-pred", "decision_tree", "k_nearest_neighbours", "--measure")
SCORES = (*TABLE, "--y-score", OLD, NEW, "--measure")
COMMANDS = (
    ("demo",),
    ("measures",),
    ("explain", "g_mean", "--total", "111", "--positives", "56"),
    ("baseline", "--total", "303", "--positives", "139"),
    ("baseline", "--total", "303", "--positives", "139", "--measure", "f1", "--score", "0.72"),
    ("samples", "--measure", "mcc", "--prevalence=0.5", "--sensitivity=0.95", "--specificity=0.95"),
    ("evaluate", *BOTH, "f1", "mcc", "balanced_accuracy", "--by", "country"),
    ("evaluate", *BOTH, "f1", "mcc", "balanced_accuracy", "--all"),
    ("evaluate", *BOTH, "f1", "mcc", "--all", "--by", "country"),
    ("evaluate", *BOTH, "f1", "mcc", "--by", "country", "--slices"),
    ("evaluate", *SCORES, "roc_auc"),
    ("check", *BOTH, "f1", "mcc"),
    ("check", *SCORES, "roc_auc", "--by", "country"),
    ("compare", *BOTH, "f1"),
    ("leaderboard", *TABLE, "--y-pred", "decision_tree", "k_nearest_neighbours", "--by", "country"),
    ("evaluate", *TABLE),
)
NUMBER = re.compile(r"(?<![\w.])[+−<]?\d+(?:[.,]\d+)+(?:e[+-]?\d+)?|<\d+e-\d+")

DRIVER = """
import sys
from clearbar.cli import main
for at, words in enumerate({commands!r}):
    print("@@@", at, flush=True)
    main(list(words))
    sys.stderr.flush()
print("@@@ end")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = random.Random(5)  # noqa: S311 - not for secrets
    place = tmp_path_factory.mktemp("terminal")
    rows = [f"y,decision_tree,k_nearest_neighbours,{OLD},{NEW},country"]
    for _ in range(300):
        y = rng.random() < 0.5
        tree, knn = (y if rng.random() < right else not y for right in (0.56, 0.8))
        old, new = (min(max(rng.gauss(0.4 + gap * y, 0.25), 0), 1) for gap in (0.02, 0.3))
        country = rng.choice(["Netherlands", "United Kingdom", "Côte d'Ivoire", "日本"])
        rows.append(f"{y:d},{tree:d},{knn:d},{old:.4f},{new:.4f},{country}")
    (place / TABLE[0]).write_text("\n".join(rows) + "\n", encoding="utf-8")
    (place / "driver.py").write_text(DRIVER.format(commands=COMMANDS), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def screens(folder):
    """For each width the lines of every command; then lines joined that the terminal has broken; colours."""
    found = {}
    for width in WIDTHS:
        command = f"cd {shlex.quote(str(folder))} && {sys.executable} driver.py; sleep 60"
        with terminal(command, width, height=3000) as ask:
            seen(ask, "@@@ end", seconds=120)
            found[width] = parted(screen(ask)), parted(screen(ask, "-J")), "\n".join(screen(ask, "-e"))
    return found


def parted(lines):
    """Return the lines of each command."""
    starts = [at for at, line in enumerate(lines) if line.startswith("@@@")]
    return [lines[start + 1 : end] for start, end in itertools.pairwise(starts)]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_reaches_over_the_edge_of_the_terminal(screens, width):
    rows, joined, _ = screens[width]
    assert len(rows) == len(COMMANDS)
    for words, own, whole in zip(COMMANDS, rows, joined, strict=True):
        assert "".join(own), words
        assert len(own) == len(whole), (words, [line for line in whole if len(line) > width])


@pytest.mark.parametrize("width", WIDTHS[:2])
def test_every_number_of_the_widest_terminal_stands_on_a_narrower_one(screens, width):
    """Except how large slices are, which stands where there is room."""
    for words, own, widest in zip(COMMANDS, screens[width][0], screens[120][0], strict=True):
        narrow, wide = "\n".join(own), "\n".join(widest)
        lost = set(NUMBER.findall(wide)) - set(NUMBER.findall(narrow))
        assert all(f"{size} %" in wide for size in lost), (words, lost)
        assert set(NUMBER.findall(narrow)) <= set(NUMBER.findall(wide)), words


COLOURS = {"166": (215, 95, 0), "136": (175, 135, 0), "244": (128, 128, 128)}
"""The fixed colours of 256-colour terminals that are used, by number (xterm's table)."""

BACKGROUNDS = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "grey": (30, 30, 30),
    "Solarized light": (253, 246, 227),
    "Solarized dark": (0, 43, 54),
}


def luminance(colour):
    """Relative luminance (WCAG 2.2)."""
    parts = (part / 255 for part in colour)
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_are_fixed_ones_that_are_readable_on_light_and_dark(screens):
    codes = set(re.findall(r"\x1b\[([\d;]*)m", screens[80][2]))
    used = {found for code in codes for found in re.findall(r"38;5;(\d+)", code)}
    assert used == set(COLOURS)
    plain = {re.sub(r"38;5;\d+", "", code).strip(";") for code in codes}
    assert plain <= {"", "0", "1", "39", "49", "0;1", "1;39"}, "no colour that a theme changes"
    for colour in COLOURS.values():
        for background in BACKGROUNDS.values():
            assert contrast(colour, background) >= 3, "WCAG 2.2, of marks"


def test_printing_in_python_takes_the_width_of_the_terminal(folder):
    code = (
        "import clearbar as cb; c = cb.Counts(tp=40, fp=9, fn=7, tn=50); "
        "print(cb.evaluate_counts(dict.fromkeys(['first_model', 'second_model', 'third_model'], c)));"
        "print('@@@')"
    )
    with terminal(f"{sys.executable} -c {shlex.quote(code)}; sleep 60", 45, height=200) as ask:
        lines = seen(ask, "@@@")
        assert len(lines) == len(screen(ask, "-J"))
        assert sum("balanced accuracy" in line for line in lines) > 1
