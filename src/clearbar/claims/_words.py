"""What a claim or the tables behind it look like in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.formatting import number, p_value_text
from clearbar.notebook import sentence_html

if TYPE_CHECKING:
    from clearbar.claims._claim import Claim
    from clearbar.claims._classes import PossibleClassScores
    from clearbar.claims._pairs import Claims
    from clearbar.claims._possible import PossibleTables


def tables_html(tables: PossibleTables) -> str:
    head, *verdicts = str(tables).splitlines()
    ranges = [(name, " – ".join(number(end) for end in tables.range(name))) for name in tables.scores]
    return sentence_html("possible-tables", " ".join([head, *verdicts]), ranges)


def classes_html(scores: PossibleClassScores) -> str:
    return sentence_html("possible-class-scores", str(scores), list(scores.scores.items()))


def claim_html(claim: Claim) -> str:
    ends = (("least p", claim.p_min), ("largest p", claim.p_max))
    return sentence_html("claim", str(claim), [(name, p_value_text(p, claim.alpha)) for name, p in ends])


def claims_html(claims: Claims) -> str:
    return sentence_html("claims", str(claims), [(name, str(score)) for name, score in claims.scores.items()])
