"""Labels: what kind a label is, which of two is positive, and one sentence for all that cannot be labels."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from clearbar.core.errors import ArgumentError, ManyClassesError, listed, number_in_words, shown

_REMEDIES_OF_MISSING = {
    "y_true": "Drop those rows or label them: a sample without a label has no place in the counts.",
    "by": "Drop those rows or give them a slice of their own, such as 'unknown'.",
    "clusters": "Drop those rows or give each a group of its own.",
    "given": "Drop those rows or give them a value of their own, such as 'unknown'.",
    "sample_weight": "Drop those rows or weigh them.",
}
_REMEDY_OF_PREDICTIONS = "Drop those rows or predict them: a missing prediction has no place in the counts."


def refuse_missing(name: str, number: int, first: int | None) -> None:
    """Raise if a column has missing values."""
    if not number:
        return
    values = "1 missing value" if number == 1 else f"{number:,} missing values"
    where = "" if first is None else f" ({'' if number == 1 else 'first '}at position {first})"
    raise ValueError(f"{name} has {values}{where}. {_REMEDIES_OF_MISSING.get(name, _REMEDY_OF_PREDICTIONS)}")


def refuse_type(value: Any, name: str) -> None:
    """Raise if a value is of a type that holds no labels in order."""
    sentence = f"{name} must hold one value per sample"
    if value is None or isinstance(value, (str, bytes, bool, int, float, complex, np.generic)):
        raise ValueError(
            f"{sentence}; found the single value {shown(value)}. "
            "Pass an array, a list, or a column of a data frame."
        )
    if isinstance(value, Mapping):
        raise ValueError(
            f"{sentence}; found a mapping with the keys {listed(map(shown, value), most=6)}. Pass one of its "
            f"values, e.g. {name}[{shown(next(iter(value), 'label'))}]."
        )
    if isinstance(value, AbstractSet):
        raise ValueError(
            f"{sentence}, in order; found a set, which has no order. Pass a list in the samples' order."
        )
    if isinstance(value, Iterator):
        raise ValueError(
            f"{sentence}, in order; found an iterator, which can be read only once. Pass list({name})."
        )


def refuse_shape(shape: tuple[int, ...], name: str) -> None:
    """Raise if an array is not one-dimensional."""
    if len(shape) == 1:
        return
    remedy = f"Pass one column of it, e.g. {name}[:, 0]"
    if not shape:
        remedy = "Pass an array with a label for each sample"
    elif sum(length != 1 for length in shape) <= 1:
        remedy = f"Use {name}.ravel()"
    elif name == "y_true":
        remedy = "Judge one label at a time: pass one column of it, e.g. y_true[:, 0]"
    elif name.startswith("y_pred"):
        remedy += "; for several runs of one model use evaluate, with shape (runs, samples)"
    raise ValueError(f"{name} must be one-dimensional, one value per sample; found shape {shape}. {remedy}.")


def refuse_several(value: Any, name: str, remedy: str) -> None:
    """Raise if a list or tuple holds arrays: whether they are models or runs it does not say."""
    if not isinstance(value, (list, tuple)) or not value or not all(map(_is_row, value)):
        return
    if len(value) == 1:
        raise ValueError(f"{name} is a {type(value).__name__} of one array; pass the array itself.")
    if max(map(len, value)) > 1:  # else it is a column, which is told to be one-dimensional
        raise ValueError(
            f"{name} is a {type(value).__name__} of {number_in_words(len(value))} arrays; {remedy}."
        )


def _is_row(value: Any) -> bool:
    array = len(getattr(value, "shape", ())) == 1 or hasattr(value, "null_count")  # pyarrow's have no shape
    return array or isinstance(value, list | tuple)


def refuse_table(value: Any, name: str) -> NoReturn:
    """Raise, since a table was passed where one column is needed."""
    kind = type(value)
    sentence = f"{name} must be one column; found a {kind.__module__.partition('.')[0]} {kind.__name__}"
    if is_lazy(value):
        raise ValueError(f"{sentence}. Pass one of its columns after collect(), or use evaluate_frame.")
    columns: list[Any] = list(getattr(value, "column_names", getattr(value, "columns", ())))
    if not columns:
        raise ValueError(f"{sentence}. Pass an array, a list, or a column of a data frame.")
    noun = "column" if len(columns) == 1 else "columns"
    raise ValueError(
        f"{sentence} with the {noun} {listed(map(shown, columns), most=6)}. "
        f"Pass one of them, e.g. {name}[{shown(columns[0])}]."
    )


def is_lazy(frame: Any) -> bool:
    """Tell whether a data frame has not been computed."""
    return hasattr(frame, "collect_schema") and not hasattr(frame, "height")


def refuse_unequal(name: str, length: int, other: str, other_length: int) -> None:
    """Raise if two columns differ in length."""
    if length != other_length:
        raise ValueError(
            f"{other} and {name} must have the same length; found {other_length:,} and {length:,} samples."
        )


def refuse_empty(name: str, length: int) -> None:
    """Raise if there are no samples."""
    if length == 0:
        raise ValueError(f"{name} holds no samples; at least one is needed to have a bar.")


@contextmanager
def guarded(value: Any, name: str) -> Iterator[None]:
    """Turn whatever a foreign object raises while it is read into one sentence."""
    try:
        yield
    except Exception as error:
        if isinstance(error, MemoryError) or str(error).startswith(f"{name} "):
            raise
        kind = type(value)
        ours = kind.__module__.startswith("clearbar.")  # a column: reading a value of it failed
        culprit = "one of its values" if ours else f"{kind.__module__}.{kind.__qualname__}"
        raise ValueError(
            f"{name} could not be read: {culprit} raised {type(error).__name__}. "
            "Pass a NumPy array, a list, or a column of a data frame."
        ) from error


Kind = Literal["numbers", "text", "bytes"]

MOST_SHOWN = 6
"""Labels that a message lists before it only counts the rest."""

MOST_CLASSES = 10
"""More distinct numbers than this look like scores rather than labels."""


class Labels(NamedTuple):
    """The two labels of a binary problem, as Python values."""

    pos_label: Any
    neg_label: Any = None
    """None where no sample has another."""


class Tally(NamedTuple):
    """How often each label occurs, and what is missing: all that a refusal talks about."""

    counts: Mapping[Any, int]
    missing: int = 0  # number of samples without a label
    first_missing: int | None = None  # position of the first of them, where it is known
    complete: bool = True  # false if counting stopped because there were too many labels

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


def plain(label: Any) -> Any:
    """Return a label as the Python value that it equals: ``np.int8(1)`` and ``1.0`` are ``1``."""
    if isinstance(label, np.ndarray) and label.ndim == 0:
        label = label[()]
    if isinstance(label, np.floating):
        label = float(label)
    elif isinstance(label, np.bool_ | np.integer | np.str_ | np.bytes_):
        label = label.item()
    if isinstance(label, float | Decimal) and is_whole(label):
        return int(label)
    return label


def kind_of(label: Any) -> Kind | None:
    """Return what a label is; None where it cannot be one."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bytes):
        return "bytes"
    return "numbers" if isinstance(label, bool | np.bool_ | numbers.Real | Decimal) else None


def is_whole(label: Any) -> bool:
    """Tell whether a number can be a label; a fraction, nan or infinity cannot."""
    try:
        return isinstance(label, int) or bool(math.isfinite(label) and label == math.floor(label))
    except (ArithmeticError, TypeError, ValueError):  # a signalling nan, or a user-defined number
        return False


def is_missing(value: Any) -> bool:
    """Tell whether a single value stands for none, in any library."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


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
        _refuse_kinds(name, tally)
        _refuse_fractions(name, tally, true=tally is truth)
        if len(truth.counts) > 2:  # then n predicted labels are no scores
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
                f" holds labels beyond 0 and 1, -1 and 1 or False and True ({truth.shown()}), so that the "
                "positive one must be named. ",
                f"Pass {options}.",
                "pos_label",
                sorted(labels),
            )
        pos_label = 1
    wanted = plain(pos_label)
    if kind_of(wanted) is None or (kind_of(wanted) == "numbers" and not is_whole(wanted)):
        raise ValueError(
            f"pos_label must be one of the labels of {name} ({truth.shown()}); found {shown(pos_label)}."
        )
    if kind_of(wanted) != kind_of(labels[0]):
        _refuse_kind_of_positive(name, truth, wanted)
    # Nothing positive among usual labels is a population with P = 0; elsewhere it is a slip.
    if wanted not in truth.counts and not _is_usual([*labels, wanted]):
        raise ValueError(
            f"pos_label={shown(wanted)} does not occur in {name}, which holds {truth.shown()}. "
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
        meant = [parse_label(wanted.decode() if isinstance(wanted, bytes) else str(wanted), labels)]
    except ValueError:
        meant = labels
    remedy = listed((f"pos_label={shown(label)}" for label in meant), last="or")
    kind = "a truth value" if isinstance(wanted, bool) else {"numbers": "a number"}.get(str(kind_of(wanted)))
    raise ValueError(
        f"pos_label={shown(wanted)} is {kind or kind_of(wanted)} but the labels of {name} are "
        f"{_kind_of_all(labels)} ({truth.shown()}); use {remedy}."
    )


def _kind_of_all(labels: Iterable[Any]) -> str:
    """Name the kind of labels of one kind; numbers that are all truth values are called that."""
    several = list(labels)
    return "truth values" if all(isinstance(label, bool) for label in several) else str(kind_of(several[0]))


def _refuse_kinds(name: str, tally: Tally) -> None:
    """Raise if values are no labels, or of several kinds."""
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
        mixed = sorted(_kind_of_all(label for label in labels if kind_of(label) == kind) for kind in kinds)
        raise ValueError(
            f"{name} mixes {listed(mixed)} ({tally.shown()}), and 1 never equals '1'. "
            "Turn all of them into one kind first, e.g. with str."
        )


def _refuse_fractions(name: str, tally: Tally, *, true: bool) -> None:
    """Raise if true labels are fractions, or predicted ones look like scores."""
    labels = list(tally.counts)
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
    alike = kind_of(labels[0]) == kind_of(next(iter(prediction.counts)))
    finding = f"{name} holds {truth.shown()} but {other} holds {prediction.shown()}"
    if not alike:
        kinds = _kind_of_all(truth.counts), _kind_of_all(prediction.counts)
        finding = f"{name} holds {kinds[0]} ({truth.shown()}) but {other} holds {kinds[1]} "
        finding += f"({prediction.shown()})"
    if len(truth.counts) == 1 and len(prediction.counts) > 1:
        raise ValueError(f"{finding}: together three labels, and a binary measure needs two.")
    foreign = [label for label in prediction.counts if label not in truth.counts]
    mapped = f"Map {listed(map(shown, foreign), most=MOST_SHOWN)} in {other} to "
    mapped += listed(map(shown, truth.counts), last="or")
    many = alike and not isinstance(labels[0], bool)
    raise ArgumentError(
        finding,
        "; both must use the same two labels. ",
        f"{mapped}, or judge all classes by evaluate_multiclass." if many else f"{mapped}.",
        "same labels",
        [f"{mapped}."],
    )


def parse_label(text: str, labels: Iterable[Any]) -> Any:
    """Return the label that a typed text stands for: text as it is spelt, numbers also in other spellings."""
    spelt = [(plain(label), _spelt(plain(label))) for label in labels]
    same = [label for label, spelling in spelt if spelling == text]
    same += [
        label
        for label, spelling in spelt
        if (_is_number(text, label) if kind_of(label) == "numbers" else spelling.strip() == text.strip())
    ]
    if same:
        return same[0]
    # Text counts as it is spelt: 'Yes' may be another label than 'yes'.
    near = [label for label, spelling in spelt if spelling.strip().lower() == text.strip().lower()]
    hint = f" Did you mean {shown(near[-1])}?" if near else ""
    all_labels = listed((shown(label) for label, _ in spelt), most=MOST_SHOWN)
    raise ArgumentError("pos_label", f": no label is {text!r}; the labels are {all_labels}.{hint}")


def _spelt(label: Any) -> str:
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)


def _is_number(text: str, label: Any) -> bool:
    if _spelt(label).strip().lower() == text.strip().lower():
        return True
    try:
        return bool(float(text) == label)
    except ValueError:
        return False
