"""How far a pinned number may move: the contract of docs/exactness.md, and chance where a number is drawn.

A random number is a column of its row that other seeds gave otherwise when it was pinned, or that comes of
draws: it may move by four standard errors of the difference of two such numbers.
"""

import math

BOOTSTRAP_END = 0.0105
"""Standard error of an end of a 95 % interval of 9,999 resamples, as a share of the interval's width."""

DRAWS = 9_999

CODES = ("p_method", "interval_method", "p_blind_method", "test", "method")

BARS = {
    "bar",
    "best_possible",
    "worst_draw",
    "max",
    "min",
    "expected",
    "skill",
    "clearing",
    "scaled",
    "probability",
}
BLIND = {"p_value_blind"}
TESTED = {
    "p_value",
    "p_sure",
    "p_corrected",
    "p_compared",
    "p_compared_corrected",
    "p_equivalent",
    "p_mcnemar",
}
TESTED |= {"p_best", "power", "p_bare"}
ENDS = {
    "low": "high",
    "high": "low",
    "difference_low": "difference_high",
    "difference_high": "difference_low",
}
NOT_PINNED = {"bar_error", "p_draws", "p_blind_draws", "permutations", "power_error", "alpha"}
MAY_NOT_VARY = {"p_method", "interval_method"}
"""Codes that tell whether any of some thousand resamples differed, which is chance where hardly one does."""

SCORES_MAY_BE_DRAWN = {"p_blind_method", "explained"}
"""Codes that change where an exact p of scores becomes one of permutations, which the contract allows."""


def allowed(column, old, new, spread, samples_squared=0):
    """How far a number of a row may be from the pinned one; `old` and `new` are whole rows."""
    value = old[column]
    size = max(1.0, abs(value))
    if column in ENDS:
        tolerance = 1e-5 * size if samples_squared <= 10_000 else 5e-3 * _width(column, old)
    elif column in TESTED:
        tolerance = 1e-5 if samples_squared <= 10_000 else max(1e-12, 5e-3 * abs(value))
    elif column in BLIND or column.split("_")[0] in {"pmf", "cdf", "sf", "tail", "logtail"}:
        tolerance = max(1e-12, 1e-6 * abs(value))
    elif column in BARS or column.startswith(("expected", "ppf")):
        tolerance = max(1e-9 * abs(value), 1e-12)
    else:
        tolerance = 1e-11 * size
    if column == "skill":
        tolerance = 1e-8 * size
    return tolerance + 4 * _error(column, old, new, spread)


def _width(column, row):
    other = row.get(ENDS[column])
    return abs(row[column] - other) if other is not None else abs(row[column])


def _error(column, old, new, spread):
    """Standard error of the difference of a pinned number and its like."""
    if column == "bar" and "bar_error" in old:  # a bar that random rankings estimate
        return math.hypot(old["bar_error"], new["bar_error"])
    drawn = [row.get("p_blind_draws" if column in BLIND else "p_draws") or 0 for row in (old, new)]
    methods = {row.get(name) for row in (old, new) for name in ("interval_method", "method")}
    resampled = "bootstrap" in methods and (column in ENDS or column.startswith("p_compared"))
    if (
        not spread
        and not resampled
        and not any(drawn if column in BLIND | {"p_value", "p_sure", "p_corrected"} else ())
    ):
        return 0.0
    counts = [number or DRAWS for number in drawn] if spread or resampled else list(filter(None, drawn))
    error = math.sqrt(2) * (spread or 0.0)
    if column in BLIND | TESTED:
        p = min(max(old[column], 2 / min(counts)), 0.5)
        error = max(error, math.sqrt(p * (1 - p) * sum(1 / number for number in counts)) + 0.3 / min(counts))
        if old.get("p_method") == "bootstrap":  # the bias that BCa corrects is drawn as well
            error *= math.sqrt(2)
    elif column in ENDS:
        error = max(error, BOOTSTRAP_END * _width(column, old) * math.sqrt(sum(DRAWS / n for n in counts)))
    return error


def differences(case, old_rows, new_rows, spreads):
    """Sentences, one per number or code that moved further than it may."""
    if [row["key"] for row in old_rows] != [row["key"] for row in new_rows]:
        keys = [[row["key"] for row in rows] for rows in (old_rows, new_rows)]
        gone, come = (sorted(set(a) - set(b)) for a, b in (keys, keys[::-1]))
        return [f"{case}: rows gone {gone[:6]}, rows new {come[:6]}, or their order is another"]
    group = _corrected_together(old_rows, new_rows, spreads)
    return [
        f"{case} · {old['key']} · {sentence}"
        for old, new, spread in zip(old_rows, new_rows, spreads, strict=True)
        for sentence in _moved(case, old, new, spread, group)
    ]


def _corrected_together(old_rows, new_rows, spreads):
    """By how much a corrected p may move: what moves any p that it is corrected with, times their number."""
    with_p = [
        allowed("p_sure", old, new, spread.get("p_sure"), _squared(old))
        for old, new, spread in zip(old_rows, new_rows, spreads, strict=True)
        if isinstance(old.get("p_sure"), float) and "p_corrected" in old
    ]
    return max(with_p, default=0.0) * max(1, len(with_p))


def _squared(row):
    total, positives = row.get("total") or 0, row.get("positives")
    return positives * (total - positives) if isinstance(positives, int) else 0


def _moved(case, old, new, spread, group):
    drawn_now = (
        case.startswith(("scores/", "folds/scores", "tables/"))
        and old.get("p_blind_method") in {"exact", "estimated"}
        and new.get("p_blind_method") == "permutation"
    )
    for column, was in old.items():
        if column in NOT_PINNED or (drawn_now and column in SCORES_MAY_BE_DRAWN):
            continue
        if column not in new:
            yield f"{column} is gone; it was {was!r}"
            continue
        if column in MAY_NOT_VARY and old.get("p_draws") and {was, new[column]} == {"estimated", "bootstrap"}:
            continue
        now = _finite(new[column])
        if isinstance(was, float | int) and not isinstance(was, bool) and isinstance(now, float | int):
            tolerance = allowed(column, old, new, spread.get(column), _squared(old))
            if column in {"p_corrected", "p_compared_corrected"}:
                tolerance = max(tolerance * 3, group)
            if not (was == now or abs(was - now) <= tolerance):
                methods = " → ".join(
                    ", ".join(map(str, filter(None, map(row.get, CODES)))) for row in (old, new)
                )
                yield f"{column}: was {was!r}, is {now!r}, may move by {tolerance:.2g} ({methods})"
        elif was != now and not (column in {"sure", "better", "best"} and _near_alpha(old, group, spread)):
            yield f"{column}: was {was!r}, is {now!r}"


def _finite(value):
    """None for what has no value, as JSON has it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _near_alpha(row, group, spread):
    """Whether a drawn p is so near to what counts as sure that either answer may come."""
    if "p_corrected" in row:
        p, tolerance = row["p_corrected"], group
    else:
        p = row.get("p_compared_corrected", row.get("p_compared"))
        tolerance = 4 * math.sqrt(2 * 0.05 * 0.95 / DRAWS)
    return p is not None and bool(spread) and abs(p - row.get("alpha", 0.05)) <= tolerance
