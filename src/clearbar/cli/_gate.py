"""``clearbar check``: the gate for a build."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from clearbar.cli._errors import UsageError, card_in_options
from clearbar.cli._files import HINTS, judged_table
from clearbar.cli._output import Reply, add_summary, answered
from clearbar.core._typing import IntArray
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.formatting import Screen, Style, encodable, escape_markdown, plural, styled, visible, width
from clearbar.scorecard import Hints, Scorecard, finding, subject
from clearbar.verdict import Verdict, surely

ALPHA = 0.05  # what a log remarks on where no probability is asked for
MOST_LINES = 200  # verdicts of a kind that a log shows; the rest is counted


def check(options: argparse.Namespace, screen: Screen) -> Reply:
    measures = ["mcc"] * bool(options.y_pred) + ["roc_auc"] * bool(options.y_score)
    card = judged_table(options, options.measure or measures)
    alpha = card.alpha if options.alpha is ... else None if options.alpha == "none" else options.alpha
    gate = Gate(card_in_options(card), alpha)
    gate.refuse_unbeatable()
    if options.summary is not None:
        add_summary(options.summary, gate.to_markdown())
    return answered(
        options,
        gate.code,
        text=lambda: gate.to_text(screen),
        json=gate.to_dict,
        csv=lambda: gate.to_dict()["rows"],
        markdown=gate.to_markdown,
        latex=gate.card.to_latex,
    )


class Gate:
    def __init__(self, card: Scorecard, alpha: float | None) -> None:
        self.card, self.alpha = card, alpha
        sure = card.columns["outcome"] == "clears" if alpha is None else surely(card.columns, alpha)
        self.passes = sure.reshape(-1)
        self.failing = np.flatnonzero(~self.passes)

    @property
    def code(self) -> int:
        return 1 if self.failing.size else 0

    def refuse_unbeatable(self) -> None:
        """Raise if a bar is the best possible score: no model could ever pass."""
        _, groups, measures = np.nonzero(self.card.columns["outcome"] == "unbeatable")
        if not measures.size:
            return
        labels = [self.card.measures[row].label for row in np.unique(measures)]
        bars, them = ("bars", "them") if len(labels) > 1 else ("bar", "it")
        where = self._where(np.unique(groups))
        small = " --min-support N leaves small slices out." if where else ""
        population: Any = self.card.population
        positives, total = (np.asarray(sizes)[groups] for sizes in (population.leading[1], population.total))
        if ((positives == 0) | (positives == total)).all():
            several = "both" if isinstance(population, Population) else "several"
            raise UsageError(
                f"the {listed(labels)} {bars} cannot be beaten: the true labels{where} are all of one "
                f"class. Judge on samples of {several} classes.{small}"
            )
        raise UsageError(
            f"the {listed(labels)} {bars} cannot be beaten{where}: the best draw already has the best "
            f"possible score. Leave {them} out, or judge by one that can tell, such as --measure mcc."
        )

    def _where(self, groups: IntArray) -> str:
        """Return the slices in which a bar cannot be beaten; nothing if it is everywhere."""
        names = [self.card.groups[row] for row in groups.tolist()]
        if None in names:
            return ""
        return f" in {listed(map(visible, sorted(names, key=str)), most=4)}"

    def to_dict(self) -> dict[str, Any]:
        document = self.card.to_dict()
        for row, passes in zip(document["rows"], self.passes.tolist(), strict=True):
            row["passes"] = passes
        names = ("model", "group", "measure")
        failing = [
            {**{name: document["rows"][row][name] for name in names}, "why": self._why(self.card[row])}
            for row in self.failing.tolist()
        ]
        head = {"passes": not failing, "exit_code": self.code, "alpha": self.alpha}
        return {**head, "failing": failing, **document}

    def _why(self, verdict: Verdict) -> str:
        return f"{subject(verdict)}: {self._finding(verdict)}"

    def _finding(self, verdict: Verdict) -> str:
        return visible(finding(verdict, self.alpha))

    def to_text(self, screen: Screen) -> str:
        """Return a line per verdict, what fails first, and a closing line."""
        above = self.card.columns["outcome"].reshape(-1)[self.failing] == "clears"
        kinds: list[tuple[str, Style, IntArray]] = [
            ("✗", "bad", self.failing[~above]),
            ("?", "doubt", self.failing[above]),
            ("✓", "strong", np.flatnonzero(self.passes)),
        ]
        shown = [[self.card[row] for row in rows[:MOST_LINES].tolist()] for _, _, rows in kinds]
        wide = max(width(subject(verdict)) for verdicts in shown for verdict in verdicts)
        lines = []
        for (mark, style, rows), verdicts in zip(kinds, shown, strict=True):
            sign = styled(encodable(mark, screen.encoding), style, color=screen.color)
            lines += [self._line(verdict, wide, mark, sign, screen) for verdict in verdicts]
            lines += [f"{sign} {len(rows) - len(verdicts):,} more"] if len(rows) > len(verdicts) else []
        below = map(screen.line, (*self._doubt(), *self._corrected(), f"{self._models()}  exit {self.code}"))
        return "\n".join([*lines, *below])

    def _line(self, verdict: Verdict, wide: int, mark: str, sign: str, screen: Screen) -> str:
        """Return a mark, whom a verdict is about, and what it is; the mark alone has a colour."""
        who = subject(verdict)
        first = f"{mark} {who}{' ' * (wide - width(who))}  "
        line = screen.line(self._finding(verdict), first=first)
        return sign + line.removeprefix(encodable(mark, screen.encoding))

    def to_markdown(self) -> str:
        """Return the closing line, the verdicts that fail, and the scorecard, in Markdown."""
        mark = "✗" if self.failing.size else "✓"
        title = f"### {mark} clearbar: {self._models()}"
        failing = [self.card[row] for row in self.failing[:MOST_LINES].tolist()]
        items = [f"- {escape_markdown(self._why(verdict))}" for verdict in failing]
        if len(self.failing) > MOST_LINES:
            items.append(f"- {len(self.failing) - MOST_LINES:,} more")
        hints = Hints(" with clearbar evaluate --all", HINTS.reasons)
        body = self.card.to_markdown(alpha=self.alpha or ALPHA, most=MOST_LINES, hints=hints)
        return "\n\n".join(filter(None, [title, "\n".join(items), body]))

    def _doubt(self) -> list[str]:
        """Say which scores could be chance, where that was not asked."""
        if self.alpha is not None:
            return []
        unsure = int((self.passes & ~surely(self.card.columns, ALPHA).reshape(-1)).sum())
        if not unsure:
            return []
        are, they = ("is above its bar", "it") if unsure == 1 else ("are above their bars", "them")
        many = f"{unsure:,} of {len(self.passes):,} {are}"
        return [f"({many}, but it could be chance; --alpha {ALPHA:g} would fail {they}.)"]

    def _corrected(self) -> list[str]:
        """Say how many questions p was corrected for."""
        slices = sum(group is not None for group in self.card.groups) if len(self.card.groups) > 1 else 0
        many = [(len(self.card.models), "model"), (slices, "slice")]
        parts = [plural(size, noun) for size, noun in many if size > 1]
        any_clears = (self.card.columns["outcome"] == "clears").any()
        return [f"(p is corrected for {listed(parts)}.)"] if parts and any_clears else []

    def _models(self) -> str:
        models = len(self.card.models)
        per_model = len(self.card.groups) * len(self.card.measures)
        failing = len(np.unique(self.failing // per_model))
        noun = "model" if models == 1 else "models"
        many = failing or models
        verb = ("fails" if many == 1 else "fail") if failing else ("clears" if many == 1 else "clear")
        return f"{many} of {models} {noun} {verb}."
