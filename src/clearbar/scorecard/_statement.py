"""A scorecard as a paper reports it: a paragraph of methods, one of results, and items of a checklist."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from clearbar._version import __version__
from clearbar.core._value import Value
from clearbar.core.errors import listed, shown, visible
from clearbar.formatting import TELLS, Table, escape_html, latex_page, markdown_page, number, p_phrase
from clearbar.scorecard._sentences import subject

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard
    from clearbar.verdict import Verdict

Style = Literal["plain", "tripod+ai", "claim", "neurips"]
NOT_KNOWN = "not known from predictions"

_METHODS = {
    "exact": "an exact test",
    "estimated": "a test with estimated nuisance parameters",
    "bootstrap": "a bootstrap",
    "permutation": "a permutation test",
    "t": "a t-test",
    "delong": "DeLong's test",
    "normal": "a normal approximation",
}
_STANDS = {
    "fails": "does not clear its bar",
    "ties": "is exactly at its bar",
    "unbeatable": "is not judged, as its bar cannot be beaten",
}
_SURE = "surely clears its bar"
_UNSURE = "is better than its bar, but it could be chance"
_UNASKED = "is better than its bar; how surely was not asked"


class Guideline(NamedTuple):
    """A guideline: its source, its items in order with their topics, and what answers some of them."""

    source: str
    items: dict[str, str]
    answers: dict[str, str]  # item: "data", "methods", "results" or "clusters"


def _items(text: str) -> dict[str, str]:
    """Read ``3a 3b Background; 4 Objectives``."""
    items: dict[str, str] = {}
    for part in text.split(";"):
        words = part.split()
        numbers = [word for word in words if word[:1].isdigit()]
        items |= dict.fromkeys(numbers, " ".join(words[len(numbers) :]))
    return items


GUIDELINES = {
    "plain": Guideline("", {}, {}),
    "tripod+ai": Guideline(
        "TRIPOD+AI: Collins et al., BMJ 385, e078378, 2024",
        _items(
            "1 Title; 2 Abstract; 3a 3b 3c Background; 4 Objectives; 5a 5b Data; 6a 6b 6c Participants; "
            "7 Data preparation; 8a 8b 8c Outcome; 9a 9b 9c Predictors; 10 Sample size; 11 Missing "
            "data; 12a Use of data; 12b Handling of predictors; 12c Type of model, building and "
            "internal validation; 12d Heterogeneity across clusters; 12e Measures of performance; 12f "
            "Model updating; 12g Calculation of predictions; 13 Class imbalance; 14 Fairness; 15 Model "
            "output; 16 Training versus evaluation; 17 Ethical approval; 18a Funding; 18b Conflicts of "
            "interest; 18c Protocol; 18d Registration; 18e Data sharing; 18f Code sharing; 19 Patient "
            "and public involvement; 20a Flow of participants; 20b Characteristics of participants; 20c "
            "Comparison with development data; 21 Participants and outcome events in each analysis; 22 "
            "Model specification; 23a Model performance with confidence intervals; 23b Heterogeneity of "
            "performance across clusters; 24 Results of model updating; 25 Interpretation; 26 "
            "Limitations; 27a 27b 27c Usability of the model"
        ),
        {"12d": "clusters", "12e": "methods", "21": "data", "23a": "results"},
    ),
    "claim": Guideline(
        "CLAIM 2024 update: Tejani et al., Radiology: Artificial Intelligence 6(4), e240300, 2024",
        _items(
            "1 Title; 2 Summary; 3 Background; 4 Aims and hypotheses; 5 Prospective or retrospective "
            "study; 6 Study goal; 7 Data sources; 8 Inclusion and exclusion criteria; 9 Data "
            "preprocessing; 10 Selection of data subsets; 11 De-identification; 12 Missing data; 13 "
            "Image acquisition; 14 15 16 Reference standard; 17 Annotation of test set; 18 Inter- and "
            "intrarater variability; 19 20 Data partitions; 21 Intended sample size; 22 Description of "
            "model; 23 Software; 24 Initialization; 25 Training; 26 Selection of the final model; 27 "
            "Ensembling; 28 Metrics of model performance; 29 Statistical measures of significance and "
            "uncertainty; 30 Robustness or sensitivity analysis; 31 Explainability; 32 Evaluation on "
            "internal data; 33 Testing on external data; 34 Clinical trial registration; 35 Numbers "
            "included and excluded; 36 Demographic and clinical characteristics; 37 Performance metrics "
            "and statistical uncertainty; 38 Estimates of diagnostic performance and their precision; "
            "39 Failure analysis; 40 Limitations; 41 Implications for practice; 42 Study protocol; 43 "
            "Availability of software, model and data; 44 Funding"
        ),
        {"28": "bars", "29": "methods", "37": "results", "38": "results"},
    ),
    "neurips": Guideline(
        "NeurIPS Paper Checklist, https://neurips.cc/public/guides/PaperChecklist",
        _items(
            "1 Claims; 2 Limitations; 3 Theory assumptions and proofs; 4 Experimental result "
            "reproducibility; 5 Open access to data and code; 6 Experimental setting and details; 7 "
            "Experiment statistical significance; 8 Experiments compute resources; 9 Code of ethics; 10 "
            "Broader impacts; 11 Safeguards; 12 Licenses for existing assets; 13 New assets; 14 "
            "Crowdsourcing and research with human subjects; 15 Institutional review board approvals; "
            "16 Declaration of LLM usage"
        ),
        {"7": "methods"},
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class Statement(Value):
    """What a paper says of a scorecard, made by ``card.statement``.

    Attributes
    ----------
    style : str
        The guideline.
    methods, results : str
        Paragraphs; every number in them stands in ``card.to_dict()``.
    checklist : tuple of (str, str)
        Items with their topics, and what is said, or "not known from predictions".
    source : str
        Where the guideline stands.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), "mcc")
    >>> print(card.statement().results)
    MCC 0.542 (0.145 to 0.799; bar 0) surely clears its bar (p = 0.0048).
    """

    style: str
    methods: str
    results: str
    checklist: tuple[tuple[str, str], ...]
    source: str

    def __str__(self) -> str:
        items = [f"{item}: {text}" for item, text in self.checklist]
        return "\n".join([self.methods, "", self.results, *(["", self.source, *items] if items else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape_html(line)}</p>" for line in str(self).splitlines() if line)

    def _parts(self) -> list[str | Table]:
        parts: list[str | Table] = [self.methods, self.results]
        if self.checklist:
            parts += [self.source, Table.of(("left", "left"), ("item", "reported"), self.checklist)]
        return parts

    def to_markdown(self) -> str:
        """Return the statement in Markdown."""
        return markdown_page(self._parts())

    def to_latex(self) -> str:
        """Return the statement in LaTeX; the checklist is a table with booktabs rules."""
        return latex_page(self._parts())


def statement(card: Scorecard, style: Style = "plain") -> Statement:
    """Return the paragraphs that report this scorecard in a paper.

    The whole is reported, not slices. What the bar is, how p and intervals were found, which corrections were
    made and what is assumed; then each score. With a guideline its items, those that follow from predictions
    alone filled in.

    Parameters
    ----------
    style : {"plain", "tripod+ai", "claim", "neurips"}
        Without a checklist, or with that of TRIPOD+AI, of CLAIM (2024) or of NeurIPS.

    Returns
    -------
    Statement

    Raises
    ------
    ValueError
        If there is no such style.

    References
    ----------
    Collins et al., BMJ 385, e078378, 2024; Tejani et al., Radiology: Artificial Intelligence 6(4), e240300,
    2024; NeurIPS Paper Checklist.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), "mcc")
    >>> card.statement("neurips").checklist[0]
    ('1 Claims', 'not known from predictions')
    """
    if str(style).lower() not in GUIDELINES:
        raise ValueError(f"style must be {listed(map(repr, GUIDELINES), last='or')}; found {shown(style)}.")
    guideline = GUIDELINES[style.lower()]
    rows = [verdict for verdict in card if verdict.group == card.groups[0]]
    data, bars = _data(rows), _bars(card, rows)
    clustered = getattr(card.problem, "clusters", None) is not None
    results = " ".join(_result(card, verdict) for verdict in rows)
    texts = {
        "data": data,
        "bars": bars,
        "methods": " ".join([bars, *_tests(card, rows, clustered=clustered)]),
        "results": results,
        "clusters": "Whole clusters are resampled and permuted together." if clustered else NOT_KNOWN,
    }
    checklist = tuple(
        (f"{item} {topic}", texts[guideline.answers[item]] if item in guideline.answers else NOT_KNOWN)
        for item, topic in guideline.items.items()
    )
    methods = " ".join([data, texts["methods"], f"Computed with clearbar {__version__}."])
    return Statement(style.lower(), methods, results, checklist, guideline.source)


def _data(rows: list[Verdict]) -> str:
    population: Any = rows[0].baseline.population
    samples = f"The test set has {int(population.total):,} samples"
    if population.classes is None or population.classes:
        return f"{samples}."
    leading, size = population.leading
    return f"{samples}, {int(size):,} of them {leading}."


def _bars(card: Scorecard, rows: list[Verdict]) -> str:
    """Say what the bar is, and how high."""
    bars = {verdict.measure.label: verdict.baseline for verdict in rows}
    values = [
        f"{label} {number(float(bar.value), int(bar.population.total))}"
        for label, bar in bars.items()
        if not math.isnan(float(bar.value))
    ]
    best = (
        "Each score is held against its bar, the best expected score of predictions that ignore all features"
    )
    over = f" (scores of folds are combined: {card.aggregate})" if card.aggregate else ""
    return f"{best}{over}: {listed(values)}." if values else f"{best}{over}."


def _tests(card: Scorecard, rows: list[Verdict], *, clustered: bool) -> Iterator[str]:
    """Say how p and intervals were found, which corrections were made, and what is assumed."""
    by_method: dict[str, dict[str, None]] = {}
    for verdict in rows:
        if verdict.p_method in _METHODS:
            by_method.setdefault(_METHODS[verdict.p_method], {})[verdict.measure.label] = None
    if by_method:
        tests = (f"{words} ({listed(labels)})" for words, labels in by_method.items())
        yield f"p-values are two-sided, of the hypothesis that the true score is the bar, by {listed(tests)}."
        yield (
            f"Intervals hold the true scores not refuted, at confidence level {card.confidence_level:g}. "
            "A score surely clears its bar if this p-value and that of labels in random order are at most "
            "one minus the confidence level."
        )
    corrections = [
        words
        for words, made in (
            ("for all models together (Holm)", len(card.models) > 1),
            ("for the models that each is the best of (Bonferroni)", card.tries > 1),
        )
        if made and by_method
    ]
    if corrections:
        yield f"p-values of scores above their bars are corrected {listed(corrections)}."
    units = "Clusters of samples" if clustered else "Samples"
    yield f"{units} are taken to be independent, and predictions to be made without the test set's labels."


def _result(card: Scorecard, verdict: Verdict) -> str:
    """Say how one score stands."""
    total, label = int(verdict.baseline.population.total), verdict.measure.label
    who = f"{visible(subject(verdict))}: " if len(card.models) > 1 else ""
    if verdict.outcome == "undefined":
        return f"{who}{label} is not judged."
    score, bar = (number(value, total) for value in (verdict.score, float(verdict.baseline.value)))
    ends = (
        "" if math.isnan(verdict.low) else f"{number(verdict.low, total)} to {number(verdict.high, total)}; "
    )
    p = verdict.p_corrected if verdict.clears else verdict.p_value
    better = _UNASKED if not verdict.has_p_values else _SURE if verdict.sure else _UNSURE
    stands = _STANDS.get(verdict.outcome, better)
    is_known = verdict.outcome != "unbeatable" and verdict.has_p_values and not math.isnan(p)
    how_surely = f" ({p_phrase(p, card.alpha, floor=TELLS)})" if is_known else ""
    return f"{who}{label} {score} ({ends}bar {bar}) {stands}{how_surely}."
