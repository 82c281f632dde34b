"""Labels of two classes: which of them is positive, which samples have it, and what cannot be labels."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.core.errors import ArgumentError, ManyClassesError, listed, number_in_words, shown
from clearbar.data.arrays import Column, blocks, guarded, is_whole, plain, read, refuse_empty, refuse_missing

MOST_SHOWN = 6  # labels that a message lists before it only counts the rest
MOST_CLASSES = 10  # more distinct numbers than this look like scores rather than labels
MOST_LABELS = 50  # a tally of a column stops here: what has more labels needs no further count to be refused


class UnexpectedLabelError(Exception):
    """A column holds something beside the two labels that its first samples promised."""


class Labels(NamedTuple):
    """The two labels of a binary problem, as Python values."""

    pos_label: Any
    neg_label: Any = None  # None where no sample has another


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
        pairs = list(self.counts.items())
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


def kind_of(label: Any) -> Literal["numbers", "text", "bytes"] | None:
    if isinstance(label, str):
        return "text"
    if isinstance(label, bytes):
        return "bytes"
    return "numbers" if isinstance(label, bool | np.bool_ | numbers.Real | Decimal) else None


def tallied(label: Any) -> Any:
    """Return a label, or the type of what cannot be one: that may not even be hashable."""
    return label if kind_of(label) else type(label)


def positive_samples(
    truth: Column, pos_label: Any = None, predicted: Column | None = None
) -> tuple[Labels, BoolArray]:
    """Return the two labels, and which samples are positive: by their true labels, or else as predicted.

    The labels are mostly known from the first samples. All are counted only to say what is wrong.
    """
    columns = [truth] if predicted is None else [truth, predicted]
    for column in columns:
        refuse_empty(column.name, column.length)
    try:
        return _resolved(
            columns, [Tally(dict.fromkeys(first_labels(column), 0)) for column in columns], pos_label
        )
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a foreign object may raise anything
        cause = None if isinstance(error, UnexpectedLabelError) else error
    tallies = []
    for column in columns:
        with guarded(column, column.name):
            tallies.append(Tally.of(column))
    try:
        return _resolved(columns, tallies, pos_label)
    except ValueError as explanation:
        raise explanation from cause
    except UnexpectedLabelError:
        names = " and ".join(column.name for column in columns)
        raise ValueError(
            f"{names} could not be counted: values that look the same there do not compare as equal. "
            "Pass them as NumPy arrays of whole numbers, text or truth values."
        ) from cause


def positive_label(y_true: Any, pos_label: Any = None, name: str = "y_true") -> Labels:
    return positive_samples(read(y_true, name), pos_label)[0]


def _resolved(
    columns: Sequence[Column], tallies: Sequence[Tally], pos_label: Any
) -> tuple[Labels, BoolArray]:
    labels = resolve(*tallies, pos_label=pos_label, names=[column.name for column in columns])
    return labels, _mask(columns[-1], labels)


def first_labels(column: Column) -> list[Any]:
    """Return the first label and the first one that differs from it."""
    if column.values.dtype.kind == "b" and column.categories is None:
        return [False, True]
    label = column.label(0)
    if kind_of(label) is not None:
        for rows in blocks(column.length):
            same = column.equal(label, rows)
            if not same.all():
                return [label, column.label(rows.start + int(np.argmin(same)))]
    return [label]


def _mask(column: Column, labels: Labels) -> BoolArray:
    """Return which samples are positive; raise if a label is neither. A view where bytes are 0 and 1."""
    values, (positive, negative) = column.values, labels
    if column.categories is None:
        if values.dtype.kind == "b":
            return values if positive else ~values
        bytes_of_bits = values.dtype.kind in "iu" and values.itemsize == 1 and labels == (1, 0)
        if bytes_of_bits and values.view(np.uint8).max() <= 1:
            return values.view(bool)
    mask = np.empty(column.length, dtype=bool)
    for rows in blocks(column.length):
        mask[rows] = column.equal(positive, rows)
        either = int(np.count_nonzero(mask[rows]))
        if negative is not None:
            either += int(np.count_nonzero(column.equal(negative, rows)))
        if either != rows.stop - rows.start:
            raise UnexpectedLabelError
    return mask


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


def parse_label(text: str, labels: Iterable[Any]) -> Any:
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
    raise ArgumentError("pos_label", f": no label is {text!r}; the labels are {all_labels}.{hint}")


def _spelt(label: Any) -> str:
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)


def _stands_for(text: str, label: Any, spelling: str) -> bool:
    if kind_of(label) != "numbers" or text.lower() == spelling.lower():
        return text == spelling or kind_of(label) == "numbers"
    try:
        return bool(float(text) == label)
    except ValueError:
        return False
