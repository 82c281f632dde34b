"""All pairs of several printed scores, corrected together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.claims._claim import Claim, Conclusion, Score, claim, conclusion, samples_counted, share_of
from clearbar.claims._sizes import checked_sizes
from clearbar.core._value import Value
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population
from clearbar.core.documents import document
from clearbar.core.errors import shown
from clearbar.formatting import p_phrase, p_value_text, visible
from clearbar.verdict import holm

_WORDS = {
    "shown": "{} is shown to be better than {}",
    "not shown": "{} cannot be shown to be better than {}",
    "depends": "{} may be better than {}, depending on what is not printed",
    "not decided": "whether {} is better than {} is not decided",
}


@dataclass(frozen=True, eq=False, repr=False)
class Claims(Value):
    """Which of several models are shown to be better than which, by their printed scores.

    Made by `clearbar.claim_pairs`. Printing it says so in a line for each pair.

    Attributes
    ----------
    scores : mapping of str to str or int
        The printed scores by model, the best first.
    pairs : mapping of (str, str) to Claim
        Each pair, the better one first, by itself.
    p_min, p_max : mapping of (str, str) to float
        Its p-values, corrected for the number of pairs (Holm).
    verdicts : mapping of (str, str) to str
        "shown", "not shown", "depends" or "not decided" by the corrected p-values.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.claim_pairs({"a": "0.90", "b": "0.80", "c": "0.60"}, 500).verdicts["a", "c"]
    'shown'
    """

    scores: Mapping[str, Score]
    pairs: Mapping[tuple[str, str], Claim]
    p_min: Mapping[tuple[str, str], float]
    p_max: Mapping[tuple[str, str], float]

    @cached_property
    def verdicts(self) -> Mapping[tuple[str, str], Conclusion]:
        """What each pair shows."""
        return {
            pair: conclusion(self.p_min[pair], self.p_max[pair], claim.alpha)
            for pair, claim in self.pairs.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON."""
        rows = [
            {
                **claim.row(),
                "models": list(pair),
                "p_min_corrected": self.p_min[pair],
                "p_max_corrected": self.p_max[pair],
                "verdict": self.verdicts[pair],
            }
            for pair, claim in self.pairs.items()
        ]
        return document({"scores": dict(self.scores), "pairs": rows, "said": str(self)})

    def __repr__(self) -> str:
        return f"<Claims: {len(self.pairs)} pairs>"

    def _repr_html_(self) -> str:
        from clearbar.notebook import sentence_html

        return sentence_html("claims", str(self), [(name, str(score)) for name, score in self.scores.items()])

    def __str__(self) -> str:
        lines = []
        for pair in self.pairs:
            verdict = self.verdicts[pair]
            models = (
                visible(name) if name == score else f"{visible(name)} ({score})"
                for name, score in zip(pair, self.pairs[pair].written, strict=True)
            )
            least, most = (p_value_text(p[pair]) for p in (self.p_min, self.p_max))
            span = f": p from {least} to {most}" if least != most else f": {p_phrase(self.p_max[pair])}"
            span = span if verdict != "not decided" else ""
            lines.append(f"{_WORDS[verdict].format(*models)}{span}")
        return "\n".join([*lines, f"p is corrected for {len(self.pairs)} pairs (Holm)."])


def claim_pairs(
    scores: Mapping[str, Score],
    population: Population | ClassSizes | int,
    measure: str | Measure = "accuracy",
    *,
    alpha: float = 0.05,
) -> Claims:
    """Tell which of several printed models are shown to be better than which: all pairs, corrected by Holm.

    Parameters
    ----------
    scores : mapping of str to str or int
        Printed scores by model, as for `claim`.
    population, measure, alpha
        As for `claim`.

    Returns
    -------
    Claims

    Raises
    ------
    ValueError
        If there are fewer than two models, or as `claim` does.

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> import clearbar as cb
    >>> print(cb.claim_pairs({"a": "0.90", "b": "0.89", "c": "0.60"}, 500))  # doctest: +ELLIPSIS
    a (0.90) ...
    """
    if not hasattr(scores, "items") or len(scores) < 2:
        raise ValueError(
            f"scores must map two models or more to their printed scores; found {shown(scores)}."
        )
    entry, sizes = get_measure(measure, "binary"), checked_sizes(population)
    samples = samples_counted(entry, sizes)
    shares = {name: share_of(score, name, entry, samples) for name, score in scores.items()}
    ordered = sorted(scores, key=shares.__getitem__, reverse=entry.greater_is_better is not False)
    pairs = {
        (one, other): claim(scores[one], scores[other], sizes, entry, alpha=alpha)
        for one, other in combinations(ordered, 2)
    }
    uncorrected = np.array([(pair.p_min, pair.p_max) for pair in pairs.values()]).T
    least, most = (dict(zip(pairs, holm(ends).tolist(), strict=True)) for ends in uncorrected)
    return Claims({name: scores[name] for name in ordered}, pairs, least, most)
