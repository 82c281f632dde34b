"""What follows from printed scores alone: which tables are possible, and whether one model beats another.

`_rows` finds tables, `_possible` says what they share; `_claim` looks at all overlaps of two models.
"""

from clearbar.claims._claim import Claim, claim
from clearbar.claims._classes import PossibleClassScores
from clearbar.claims._pairs import Claims, claim_pairs
from clearbar.claims._possible import PossibleTables, possible_tables

__all__ = [
    "Claim",
    "Claims",
    "PossibleClassScores",
    "PossibleTables",
    "claim",
    "claim_pairs",
    "possible_tables",
]
