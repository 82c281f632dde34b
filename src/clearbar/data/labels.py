"""Labels of two classes: which of them is positive, which samples have it, and what cannot be labels."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.core._value import WholeNumbers
from clearbar.core.errors import ArgumentError, ManyClassesError, listed, number_in_words, shown
from clearbar.data.arrays import (
    Column,
    Factor,
    blocks,
    guarded,
    is_whole,
    library,
    native,
    plain,
    read,
    refuse_empty,
    refuse_missing,
)

MOST_SHOWN = 6  # labels that a message lists before it only counts the rest
MOST_CLASSES = 10  # more distinct numbers than this look like scores rather than labels
MOST_LABELS = 50  # a tally of a column stops here: what has more labels needs no further count to be refused


def is_label_sets(value: Any) -> bool:
    """Whether true labels are sets of them: a sparse matrix, a table of 0 and 1, sets, or ragged rows."""
    value = native(value)
    if hasattr(value, "tocsr") or holds_sets(value):
        return True
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)):
        if len({len(row) for row in value if isinstance(row, (list, tuple))}) > 1:
            return True
        value = np.asarray(value) if len({*map(np.size, value)}) == 1 else value
    shape = getattr(value, "shape", ())
    if len(shape) != 2 or min(shape) < 2:
        return False
    from clearbar.data.label_sets import read_table

    try:
        read_table(value, "y_true")
    except ValueError:  # a table of something else
        return False
    return True


def holds_sets(value: Any) -> bool:
    """Whether the first of several values, in a list, an array or a column of pandas, is a set."""
    if library(value) == "pandas":
        value = value.to_numpy() if getattr(value, "ndim", 0) == 1 else None
    several = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1)
    return several and len(value) > 0 and isinstance(value[0], AbstractSet)


class Labels(NamedTuple):
    """The two labels of a binary problem, as Python values."""

    pos_label: Any
    neg_label: Any = None  # None where no sample has another


def class_names(labels: Labels) -> tuple[str, str]:
    """Return what readers call the negative and the positive class; 0 and 1 are called just so."""
    positive, negative = labels
    if kind_of(positive) == "numbers" and _is_usual([positive, *([] if negative is None else [negative])]):
        return WholeNumbers.labels
    texts = [_spelt(plain(label)) for label in (negative, positive) if label is not None]
    return (texts[0], texts[1]) if negative is not None else (f"not {texts[0]}", texts[0])


class Tally(NamedTuple):
    """How often each label occurs, and what is missing: all that a refusal talks about."""

    counts: Mapping[Any, int]
    missing: int = 0  # number of samples without a label
    first_missing: int | None = None  # position of the first of them, where it is known
    complete: bool = True  # false if counting stopped because there were too many labels

    @classmethod
    def of(cls, column: Column) -> Tally:
        counts: Counter[Any] = Counter()
        missing, first, complete = 0, None, True
        for rows in blocks(column.length):
            absent = column.missing(rows)
            if absent.any():
                first = rows.start + int(np.argmax(absent)) if first is None else first
                missing += int(np.count_nonzero(absent))
            if complete:
                values = column.values[rows][~absent]
                times = np.ones(len(values), dtype=np.int64)
                if values.dtype.kind != "O":
                    values, times = np.unique(values, return_counts=True)
                distinct = replace(column, values=values)
                for index, number in enumerate(times.tolist()):
                    counts[tallied(distinct.label(index))] += number
                complete = len(counts) <= MOST_LABELS or rows.stop == column.length
        return cls(counts, missing, first, complete)

    def shown(self) -> str:
        """Return the labels with their counts, ``0: 40, 1: 50 samples``, the most frequent if many."""
        pairs = [(label, number) for label, number in self.counts.items() if number]
        if len({kind_of(label) for label, _ in pairs}) == 1:
            pairs.sort(key=lambda pair: pair[0])
        if len(pairs) > MOST_SHOWN:
            pairs.sort(key=lambda pair: -pair[1])
        texts = [f"{shown(label)}: {count:,}" for label, count in pairs[:MOST_SHOWN]]
        if len(pairs) > MOST_SHOWN:
            return f"{', '.join(texts)}, ... samples"
        return f"{', '.join(texts)} sample{'s' if sum(self.counts.values()) != 1 else ''}"

    def number_of_labels(self) -> str:
        number = len(self.counts)
        return number_in_words(number) if self.complete else f"more than {number - 1}"


def tally_of(factor: Factor, samples: Any = None) -> Tally:
    """Count how often each value occurs; `samples`: how many each position stands for."""
    sizes = np.bincount(factor.codes, samples, minlength=len(factor.values)).tolist()
    labels = [tallied(plain(value)) for value in factor.values]
    return Tally({label: int(size) for label, size in zip(labels, sizes, strict=True) if size})


def kind_of(label: Any) -> Literal["numbers", "text", "bytes"] | None:
    if isinstance(label, str):
        return "text"
    if isinstance(label, bytes):
        return "bytes"
    return "numbers" if isinstance(label, bool | np.bool_ | numbers.Real | Decimal) else None


def tallied(label: Any) -> Any:
    """Return a label, or the type of what cannot be one: that may not even be hashable."""
    return label if kind_of(label) else type(label)


class LabelColumn(NamedTuple):
    """The labels of a column, and where it has no more than two, which samples have a `label` of them."""

    name: str
    tally: Tally
    label: Any = None
    mask: BoolArray | None = None


def read_labels(value: Any, name: str = "y_true") -> LabelColumn:
    column = value if isinstance(value, Column) else read(value, name)
    refuse_empty(name, column.length)
    try:
        two = _two_labels(column)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a foreign object may raise anything
        two = None
    if two is not None:
        return two
    with guarded(column, name):
        return LabelColumn(name, Tally.of(column))


def _two_labels(column: Column) -> LabelColumn | None:
    """Return a column of one or two labels; None of anything else."""
    values, length = column.values, column.length
    if column.categories is None and values.dtype.kind in "biu" and values.itemsize == 1:
        truths = values.dtype.kind == "b"
        if truths or values.view(np.uint8).max() <= 1:  # bytes of 0 and 1 need no copy
            ones = int(np.count_nonzero(values))
            counts: dict[Any, int] = (
                {False: length - ones, True: ones} if truths else {0: length - ones, 1: ones}
            )
            counts = {label: number for label, number in counts.items() if number or truths}
            return LabelColumn(column.name, Tally(counts), truths or 1, values.view(bool))
    label = column.label(0)
    if kind_of(label) is None:
        return None
    mask = np.empty(length, dtype=bool)
    for rows in blocks(length):
        mask[rows] = column.equal(label, rows)
    counts = {label: int(np.count_nonzero(mask))}
    if counts[label] < length:
        other = column.label(int(np.argmin(mask)))
        if kind_of(other) is None:
            return None
        counts[other] = sum(int(np.count_nonzero(column.equal(other, rows))) for rows in blocks(length))
    if sum(counts.values()) != length:
        return None
    return LabelColumn(column.name, Tally(counts), label, mask)


def positive_samples(
    truth: LabelColumn, pos_label: Any = None, predicted: LabelColumn | None = None
) -> tuple[Labels, BoolArray]:
    """Return the two labels, and which samples are positive: by their true labels, or else as predicted."""
    columns = [truth] if predicted is None else [truth, predicted]
    names = [column.name for column in columns]
    labels = resolve(*(column.tally for column in columns), pos_label=pos_label, names=names)
    _, tally, label, mask = columns[-1]
    if mask is None:
        raise ValueError(
            f"{names[-1]} could not be counted: values that look the same there do not compare as equal. "
            "Pass them as NumPy arrays of whole numbers, text or truth values."
        )
    if label == labels.pos_label:
        return labels, mask
    return labels, ~mask if labels.pos_label in tally.counts else np.zeros_like(mask)


def resolve(
    truth: Tally,
    prediction: Tally | None = None,
    *,
    pos_label: Any = None,
    names: Sequence[str] = ("y_true", "y_pred"),
) -> Labels:
    """Resolve which label is positive from the labels that occur, or say why that is impossible."""
    tallies = {names[0]: truth} if prediction is None else {names[0]: truth, names[1]: prediction}
    for name, tally in tallies.items():
        refuse_missing(name, tally.missing, tally.first_missing)
        refuse_empty(name, len(tally.counts))
        refuse_no_labels(name, tally)
        if tally is truth:
            refuse_fractions(name, tally)
        else:
            _refuse_scores(name, tally)
        if len(truth.counts) > 2:  # then n predicted labels are no scores
            _refuse_many(names[0], truth, pos_label)
    labels = list(dict.fromkeys(label for tally in tallies.values() for label in tally.counts))
    if len({kind_of(label) for label in labels}) > 1 or len(labels) > 2:
        _refuse_foreign(tallies, labels)
    positive = _positive(names[0], truth, labels, pos_label)
    others = [label for label in labels if label != positive]
    return Labels(positive, others[0] if others else None)


def _positive(name: str, truth: Tally, labels: list[Any], pos_label: Any) -> Any:
    options = listed((f"pos_label={shown(label)}" for label in sorted(labels)), last="or")
    if pos_label is None and not _is_usual(labels):
        raise ArgumentError(
            name,
            f" holds labels beyond 0 and 1, -1 and 1 or False and True ({truth.shown()}), so that the "
            "positive one must be named. ",
            f"Pass {options}.",
            "pos_label",
            sorted(labels),
        )
    wanted = 1 if pos_label is None else plain(pos_label)
    is_label = isinstance(wanted, str | bytes) or (kind_of(wanted) is not None and is_whole(wanted))
    # Nothing positive among usual labels is a population with P = 0; elsewhere it is a slip.
    if not is_label or (wanted not in truth.counts and not _is_usual([*labels, wanted])):
        raise ValueError(
            f"pos_label={shown(wanted)} does not occur in {name}, which holds {truth.shown()}. "
            f"Pass {options}."
        )
    if isinstance(labels[0], bool):
        return bool(wanted)
    return next((label for label in labels if label == wanted), wanted)


def _is_usual(labels: Iterable[Any]) -> bool:
    distinct = set(labels)
    return distinct <= {0, 1} or distinct <= {-1, 1}


def refuse_no_labels(name: str, tally: Tally) -> None:
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
    kinds = {kind_of(label) for label in labels}
    if len(kinds) > 1:
        raise ValueError(
            f"{name} mixes {listed(sorted(map(str, kinds)))} ({tally.shown()}), and 1 never equals '1'. "
            "Turn all of them into one kind first, e.g. with str."
        )


def refuse_fractions(name: str, tally: Tally) -> None:
    fractions = [label for label in tally.counts if kind_of(label) == "numbers" and not is_whole(label)]
    if fractions:
        raise ArgumentError(
            name,
            f" holds {fractions[0]}, which is not a label: labels are whole numbers, text or truth values. ",
            "Numbers are judged by evaluate_regression, or by a measure such as 'mae'; for labels pass "
            f"{name} >= threshold.",
            "numbers",
        )


def _refuse_scores(name: str, tally: Tally) -> None:
    labels = list(tally.counts)
    if kind_of(labels[0]) == "numbers" and (len(labels) > MOST_CLASSES or not all(map(is_whole, labels))):
        raise ArgumentError(
            name,
            f" holds numbers such as {listed(labels[:3])} ({tally.number_of_labels()} distinct): these look "
            "like scores; ",
            "use evaluate_scores, or y_score >= threshold.",
            "threshold",
        )


def _refuse_many(name: str, truth: Tally, pos_label: Any) -> NoReturn:
    label = shown(next(iter(truth.counts)) if pos_label is None else plain(pos_label))
    kind = ManyClassesError if pos_label is None else ArgumentError
    many = "judge all classes"
    many = f"{many} by evaluate_multiclass" if pos_label is None else f"leave out pos_label and {many}"
    raise kind(
        name,
        f" holds {truth.number_of_labels()} labels ({truth.shown()}); a binary measure needs two. ",
        f"Judge one class against the rest: pass {name} == {label} and y_pred == {label}, or {many}.",
        "two classes",
    )


def _refuse_foreign(tallies: Mapping[str, Tally], labels: list[Any]) -> NoReturn:
    (name, truth), (other, prediction) = tallies.items()
    foreign = [label for label in prediction.counts if label not in truth.counts]
    mapped = f"Map {listed(map(shown, foreign), most=MOST_SHOWN)} in {other} to "
    mapped += listed(map(shown, truth.counts), last="or")
    classes = len({kind_of(label) for label in labels}) == 1 and not isinstance(labels[0], bool)
    raise ArgumentError(
        f"{name} holds {truth.shown()} but {other} holds {prediction.shown()}",
        "; both must use the same two labels. ",
        f"{mapped}, or judge all classes by evaluate_multiclass." if classes else f"{mapped}.",
        "same labels",
        [f"{mapped}."],
    )


def parse_label(text: str, labels: Iterable[Any], argument: str = "pos_label") -> Any:
    """Return the label that a typed text stands for: text as it is spelt, numbers also in other spellings."""
    spelt = {plain(label): _spelt(plain(label)) for label in labels}
    same = [label for label, spelling in spelt.items() if spelling == text]
    same += [label for label, spelling in spelt.items() if _stands_for(text.strip(), label, spelling.strip())]
    if same:
        return same[0]
    # Text counts as it is spelt: 'Yes' may be another label than 'yes'.
    near = [label for label, spelling in spelt.items() if spelling.strip().lower() == text.strip().lower()]
    hint = f" Did you mean {shown(near[-1])}?" if near else ""
    all_labels = listed(map(shown, spelt), most=MOST_SHOWN)
    raise ArgumentError(argument, f": no label is {text!r}; the labels are {all_labels}.{hint}")


def _spelt(label: Any) -> str:
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)


def _stands_for(text: str, label: Any, spelling: str) -> bool:
    if kind_of(label) != "numbers" or text.lower() == spelling.lower():
        return text == spelling or kind_of(label) == "numbers"
    try:
        return bool(float(text) == label)
    except ValueError:
        return False
