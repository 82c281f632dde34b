"""The gate for a build: which verdicts pass, and how that is told in a log."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Screen
from clearbar.cli._words import reason_as_typed
from clearbar.display import encodable, escape_markdown, p_phrase, styled, visible
from clearbar.errors import listed
from clearbar.scorecard import Scorecard
from clearbar.verdict import Verdict

ALPHA = 0.05
"""What a log remarks on where no probability is asked for."""

MOST_LINES = 200
"""Verdicts of a kind that a log shows; the rest is counted."""


class Gate:
    """Every verdict of a scorecard, and whether it passes.

    Parameters
    ----------
    card : Scorecard
        The verdicts.
    alpha : float or None
        The probability that a lucky guess must stay below, if that is asked for.
    """

    def __init__(self, card: Scorecard, alpha: float | None) -> None:
        self.card, self.alpha = card, alpha
        self.verdicts = list(card)
        self.failing = [verdict for verdict in self.verdicts if not self.passes(verdict)]

    @property
    def code(self) -> int:
        """Exit code."""
        return 1 if self.failing else 0

    def passes(self, verdict: Verdict) -> bool:
        """Tell whether a verdict lets a build pass.

        Parameters
        ----------
        verdict : Verdict
            One model on one measure.

        Returns
        -------
        bool
        """
        return verdict.clears and (self.alpha is None or self._sure(verdict))

    def _sure(self, verdict: Verdict) -> bool:
        return self.alpha is not None and not math.isnan(verdict.p_value) and verdict.p_value < self.alpha

    def refuse_unbeatable(self) -> None:
        """Raise if a bar is the best possible score: no model could ever pass.

        Raises
        ------
        UsageError
            Which names the measures.
        """
        found = dict.fromkeys(v.measure.label for v in self.verdicts if v.outcome == "unbeatable")
        if not found:
            return
        bars, them = ("bars", "them") if len(found) > 1 else ("bar", "it")
        where = self._where()
        populations = [v.baseline.population for v in self.verdicts if v.outcome == "unbeatable"]
        if all(one.positives in {0, one.total} for one in populations):
            raise UsageError(
                f"the {listed(found)} {bars} cannot be beaten: the true labels{where} are all of one "
                "class. Judge on samples of both classes."
            )
        raise UsageError(
            f"the {listed(found)} {bars} cannot be beaten{where}: a guess already has the best possible "
            f"score. Leave {them} out, or judge by one that can tell, such as --measure mcc."
        )

    def _where(self) -> str:
        """Return the slices in which a bar cannot be beaten; nothing if it is everywhere."""
        groups = {v.group for v in self.verdicts if v.outcome == "unbeatable"}
        if None in groups:
            return ""
        return f" in {listed(map(visible, sorted(groups, key=str)), most=4)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the document for ``--json``.

        Returns
        -------
        dict
        """
        document = self.card.to_dict()
        failing = []
        for row, verdict in zip(document["rows"], self.verdicts, strict=True):
            row["passes"] = self.passes(verdict)
            if not row["passes"]:
                named = {name: row[name] for name in ("model", "group", "measure")}
                failing.append({**named, "why": self._why(verdict)})
        head = {"passes": not self.failing, "exit_code": self.code, "alpha": self.alpha}
        return {**head, "failing": failing, **document}

    def _why(self, verdict: Verdict) -> str:
        told = _told(verdict)
        return reason_as_typed(f"{told}, not below --alpha {self.alpha:g}" if verdict.clears else told)

    def to_text(self, screen: Screen) -> str:
        """Return a line per verdict, what fails first, and a closing line.

        Parameters
        ----------
        screen : Screen
            What standard output can show.

        Returns
        -------
        str
        """
        passing = [verdict for verdict in self.verdicts if self.passes(verdict)]
        lines = self._lines("✗", self.failing, "bad", screen) + self._lines("✓", passing, "strong", screen)
        return "\n".join([*lines, *self._doubt(passing), self._closing()])

    def to_markdown(self) -> str:
        """Return the closing line, the verdicts that fail, and the scorecard, in Markdown.

        Returns
        -------
        str
        """
        mark = "✗" if self.failing else "✓"
        found = [f"### {mark} clearbar: {self._models()}"]
        shown = [f"- {escape_markdown(self._why(verdict))}" for verdict in self.failing[:MOST_LINES]]
        if len(self.failing) > MOST_LINES:
            shown.append(f"- {len(self.failing) - MOST_LINES:,} more")
        body = self.card.to_markdown(alpha=self.alpha or ALPHA, most=MOST_LINES)
        return "\n\n".join([*found, *(["\n".join(shown)] if shown else []), reason_as_typed(body)])

    def _doubt(self, passing: list[Verdict]) -> list[str]:
        """Say where a lucky guess gets as far, which fails only if it is asked for."""
        if self.alpha is not None:
            return []
        # Where only the p-value at the model's own k is known, that over all guesses is no smaller.
        unsure = sum(v.p_value > ALPHA or (_only_matched(v) and v.p_value_matched > ALPHA) for v in passing)
        if not unsure:
            return []
        verb, they = ("clears its bar", "it") if unsure == 1 else ("clear their bars", "them")
        note = (
            f"({unsure} of {len(self.verdicts)} {verb} no more surely than a lucky guess, p > {ALPHA:g}; "
            f"--alpha {ALPHA:g} would fail {they}.)"
        )
        return [note]

    def _lines(self, mark: str, verdicts: list[Verdict], style: str, screen: Screen) -> list[str]:
        sign = styled(encodable(mark, screen.encoding), style, color=screen.color)
        found = [
            f"{sign} {visible(self._why(v) if mark == '✗' else _told(v))}" for v in verdicts[:MOST_LINES]
        ]
        left = len(verdicts) - len(found)
        return [*found, f"{sign} {left:,} more"] if left else found

    def _closing(self) -> str:
        return f"{self._models()}  exit {self.code}"

    def _models(self) -> str:
        models = len(self.card.models)
        failing = len({verdict.model for verdict in self.failing})
        noun = "model" if models == 1 else "models"
        many = failing or models
        verb = ("fails" if many == 1 else "fail") if failing else ("clears" if many == 1 else "clear")
        return f"{many} of {models} {noun} {verb}."


def _only_matched(verdict: Verdict) -> bool:
    return math.isnan(verdict.p_value) and not math.isnan(verdict.p_value_matched)


def _told(verdict: Verdict) -> str:
    """Return the verdict's sentence; a p-value at the model's own k says so, and only where it clears."""
    if not _only_matched(verdict):
        return str(verdict)
    found = str(replace(verdict, p_value_matched=math.nan))
    if not verdict.clears:
        return found
    return f"{found}; {p_phrase(verdict.p_value_matched)} for a guess with as many predicted positive"
