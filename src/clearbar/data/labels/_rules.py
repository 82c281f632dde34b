"""Which of the labels that were found is positive, and every reason why that cannot be said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from clearbar.core.errors import ArgumentError, ManyClassesError, listed, shown
from clearbar.data.labels._columns import Tally
from clearbar.data.labels._label import in_words, is_whole, kind_of, plain
from clearbar.data.labels._refuse import refuse_empty, refuse_missing

MOST_SHOWN = 6
"""Labels that a message lists before it only counts the rest."""

MOST_CLASSES = 10
"""More distinct numbers than this look like scores rather than labels."""


class Labels(NamedTuple):
    """The two labels of a binary problem, as Python values."""

    pos_label: Any
    neg_label: Any = None
    """None where no sample has another."""


def settle(
    truth: Tally,
    prediction: Tally | None = None,
    *,
    pos_label: Any = None,
    names: Sequence[str] = ("y_true", "y_pred"),
) -> Labels:
    """Settle which label is positive from the labels that occur, or say why that is impossible."""
    tallies = {names[0]: truth} if prediction is None else {names[0]: truth, names[1]: prediction}
    for name, tally in tallies.items():
        refuse_missing(name, tally.missing, tally.first_missing)
        refuse_empty(name, len(tally.counts))
        _refuse_kinds(name, tally, true=tally is truth)
        if len(truth.counts) > 2:  # then as many predicted labels are no scores
            _refuse_many(names[0], truth, pos_label)
    labels = list(dict.fromkeys(label for tally in tallies.values() for label in tally.counts))
    if len({kind_of(label) for label in labels}) > 1 or len(labels) > 2:
        _refuse_foreign(tallies, labels)
    positive = _positive(names[0], truth, labels, pos_label)
    others = [label for label in labels if label != positive]
    return Labels(positive, others[0] if others else None)


def _positive(name: str, truth: Tally, labels: list[Any], pos_label: Any) -> Any:
    if pos_label is None:
        if not _is_usual(labels):
            options = listed((f"pos_label={shown(label)}" for label in sorted(labels)), last="or")
            raise ArgumentError(
                name,
                f" holds labels beyond 0 and 1, -1 and 1 or False and True ({_counted(truth)}), so that the "
                "positive one must be named. ",
                f"Pass {options}.",
                "pos_label",
                sorted(labels),
            )
        pos_label = 1
    wanted = plain(pos_label)
    if kind_of(wanted) is None or (kind_of(wanted) == "numbers" and not is_whole(wanted)):
        raise ValueError(
            f"pos_label must be one of the labels of {name} ({_counted(truth)}); found {shown(pos_label)}."
        )
    if kind_of(wanted) != kind_of(labels[0]):
        _refuse_kind_of_positive(name, truth, wanted)
    # Nothing positive among usual labels is a population with P = 0; elsewhere it is a slip.
    if wanted not in truth.counts and not _is_usual([*labels, wanted]):
        raise ValueError(
            f"pos_label={shown(wanted)} does not occur in {name}, which holds {_counted(truth)}. "
            "Pass a label that occurs there."
        )
    if isinstance(labels[0], bool):
        return bool(wanted)
    return next((label for label in labels if label == wanted), wanted)


def _is_usual(labels: Iterable[Any]) -> bool:
    distinct = set(labels)
    return distinct <= {0, 1} or distinct <= {-1, 1}


def _refuse_kind_of_positive(name: str, truth: Tally, wanted: Any) -> NoReturn:
    labels = list(truth.counts)
    try:
        meant = parse_label(wanted.decode() if isinstance(wanted, bytes) else str(wanted), labels)
        remedy = f"use pos_label={shown(meant)}"
    except ValueError:
        remedy = f"use {listed((f'pos_label={shown(label)}' for label in labels), last='or')}"
    kind = "a truth value" if isinstance(wanted, bool) else {"numbers": "a number"}.get(str(kind_of(wanted)))
    raise ValueError(
        f"pos_label={shown(wanted)} is {kind or kind_of(wanted)} but the labels of {name} are "
        f"{_kind_of_all(labels)} ({_counted(truth)}); {remedy}."
    )


def _kind_of_all(labels: Iterable[Any]) -> str:
    """Name the kind of labels of one kind; numbers that are all truth values are called that."""
    listed_labels = list(labels)
    if all(isinstance(label, bool) for label in listed_labels):
        return "truth values"
    return str(kind_of(listed_labels[0]))


def _refuse_kinds(name: str, tally: Tally, *, true: bool) -> None:
    labels = list(tally.counts)
    strange = [label for label in labels if kind_of(label) is None]
    if strange:
        kind = strange[0] if isinstance(strange[0], type) else type(strange[0])
        raise ArgumentError(
            name,
            f" holds {kind.__name__} values; labels are whole numbers, text, bytes or truth values. ",
            f"Turn it into labels first, e.g. with {name} == value.",
            "labels",
        )
    kinds = sorted({str(kind_of(label)) for label in labels})
    if len(kinds) > 1:
        of_kind = {kind: [label for label in labels if kind_of(label) == kind] for kind in kinds}
        kinds = sorted(_kind_of_all(one_label) for one_label in of_kind.values())
        raise ValueError(
            f"{name} mixes {listed(kinds)} ({_counted(tally)}), and 1 never equals '1'. "
            "Turn all of them into one kind first, e.g. with str."
        )
    if kind_of(labels[0]) != "numbers":
        return
    fractions = [label for label in labels if not is_whole(label)]
    if true and fractions:
        raise ArgumentError(
            name,
            f" holds {fractions[0]}, which is not a label: labels are whole numbers, text or truth values. ",
            "Numbers are judged by evaluate_regression, or by a measure such as 'mae'; for labels pass "
            f"{name} >= threshold.",
            "numbers",
        )
    if not true and (fractions or len(labels) > MOST_CLASSES):
        raise ArgumentError(
            name,
            f" holds numbers such as {listed(labels[:3])} ({_number(tally)} distinct): these look like "
            "scores; ",
            "use evaluate_scores, or y_score >= threshold.",
            "threshold",
        )


def _refuse_many(name: str, truth: Tally, pos_label: Any) -> NoReturn:
    one = shown(next(iter(truth.counts)) if pos_label is None else plain(pos_label))
    kind = ManyClassesError if pos_label is None else ArgumentError
    many = "judge all classes"
    many = f"{many} by evaluate_multiclass" if pos_label is None else f"leave out pos_label and {many}"
    raise kind(
        name,
        f" holds {_number(truth)} labels ({_counted(truth)}); a binary measure needs two. ",
        f"Judge one class against the rest: pass {name} == {one} and y_pred == {one}, or {many}.",
        "two classes",
    )


def _refuse_foreign(tallies: Mapping[str, Tally], labels: list[Any]) -> NoReturn:
    (name, truth), (other, prediction) = tallies.items()
    kinds = kind_of(labels[0]), kind_of(next(iter(prediction.counts)))
    if kinds[0] != kinds[1]:
        names = _kind_of_all(truth.counts), _kind_of_all(prediction.counts)
        finding = f"{name} holds {names[0]} ({_counted(truth)}) but {other} holds {names[1]} "
        finding += f"({_counted(prediction)})"
    else:
        finding = f"{name} holds {_counted(truth)} but {other} holds {_counted(prediction)}"
    if len(truth.counts) == 1 and len(prediction.counts) > 1:
        raise ValueError(f"{finding}: together three labels, and a binary measure needs two.")
    foreign = [label for label in prediction.counts if label not in truth.counts]
    mapped = f"Map {listed(map(shown, foreign), most=MOST_SHOWN)} in {other} to "
    mapped += listed(map(shown, truth.counts), last="or")
    alike = kinds[0] == kinds[1] and not isinstance(labels[0], bool)
    raise ArgumentError(
        finding,
        "; both must use the same two labels. ",
        f"{mapped}, or judge all classes by evaluate_multiclass." if alike else f"{mapped}.",
        "same labels",
        [f"{mapped}."],
    )


def _number(tally: Tally) -> str:
    number = len(tally.counts)
    if not tally.complete:
        return f"more than {number - 1}"
    return in_words(number)


def _counted(tally: Tally) -> str:
    """Return the labels with their counts, ``0: 40, 1: 50 samples``, the most frequent if many."""
    pairs = list(tally.counts.items())
    if len({kind_of(label) for label, _ in pairs}) == 1:
        pairs.sort(key=lambda pair: pair[0])
    if len(pairs) > MOST_SHOWN:
        pairs.sort(key=lambda pair: -pair[1])
    texts = [f"{shown(label)}: {count:,}" for label, count in pairs[:MOST_SHOWN]]
    if len(pairs) > MOST_SHOWN:
        return f"{', '.join(texts)}, ... samples"
    return f"{', '.join(texts)} sample{'s' if sum(tally.counts.values()) != 1 else ''}"


def parse_label(text: str, labels: Iterable[Any]) -> Any:
    """Return the label that a typed text stands for: text as it is spelt, numbers also in other spellings."""
    known, near = [plain(label) for label in labels], ""
    for label in known:
        if _spelt(label) == text:
            return label
    for label in known:
        same = _spelt(label).strip().lower() == text.strip().lower()
        if kind_of(label) == "numbers":
            if same or _same_number(text, label):
                return label
        elif _spelt(label).strip() == text.strip():
            return label
        elif same:  # text counts as it is spelt: 'Yes' may be another label than 'yes'
            near = f" Did you mean {shown(label)}?"
    all_labels = listed(map(shown, known), most=MOST_SHOWN)
    raise ArgumentError("pos_label", f": no label is {text!r}; the labels are {all_labels}.{near}")


def _spelt(label: Any) -> str:
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)


def _same_number(text: str, label: Any) -> bool:
    if kind_of(label) != "numbers":
        return False
    try:
        return bool(float(text) == label)
    except ValueError:
        return False
