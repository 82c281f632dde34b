"""Measures of scores by their definitions, sample by sample, in exact fractions."""

import functools
import itertools
import math
from fractions import Fraction


def tie_patterns(total):
    """Every way to cut a ranking into groups of equal scores, as lists of scores, best first."""
    for cuts in itertools.product([0, 1], repeat=total - 1):
        scores = [total]
        for cut in cuts:
            scores.append(scores[-1] - cut)
        yield scores


def arrangements(total, positives):
    """Every assignment of labels to samples, each as likely as the other."""
    for chosen in itertools.combinations(range(total), positives):
        yield [int(i in chosen) for i in range(total)]


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def roc_auc(labels, scores):
    pairs = [(s, t) for s, y in zip(scores, labels, strict=True) if y
             for t, z in zip(scores, labels, strict=True) if not z]  # fmt: skip
    return mean(Fraction(2 * (s > t) + (s == t), 2) for s, t in pairs)


def average_precision(labels, scores):
    """scikit-learn's: one step per distinct score."""
    found, before = Fraction(0), 0
    for threshold in sorted(set(scores), reverse=True):
        called = [y for y, s in zip(labels, scores, strict=True) if s >= threshold]
        found += Fraction(sum(called) - before, sum(labels)) * Fraction(sum(called), len(called))
        before = sum(called)
    return found


def best(value, labels, scores):
    """The best value over thresholds, none predicted positive included."""
    found = []
    for threshold in [math.inf, *set(scores)]:
        called = [s >= threshold for s in scores]
        tp = sum(y and c for y, c in zip(labels, called, strict=True))
        fp = sum(c and not y for y, c in zip(labels, called, strict=True))
        one = value(tp, fp, sum(labels) - tp, len(labels) - sum(labels) - fp)
        found += [] if one is None else [one]
    return max(found, default=None)


def mcc(tp, fp, fn, tn):
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return Fraction((tp * tn - fp * fn) / math.sqrt(product)) if product else None


def lift(tp, fp, fn, tn):
    margins = (tp + fp) * (tp + fn)
    return Fraction(tp * (tp + fp + fn + tn), margins) if margins else None


def f1(tp, fp, fn, tn):
    return Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else None


def accuracy(tp, fp, fn, tn):
    return Fraction(tp + tn, tp + fp + fn + tn)


def gap(tp, fp, fn, tn):
    return Fraction(tp, tp + fn) - Fraction(fp, fp + tn)


def two_sided(tp, fp, fn, tn):
    return abs(gap(tp, fp, fn, tn))


def over_orders(value, labels, scores):
    """The mean of a function of the ordered labels over every order that the scores allow."""
    groups = [[y for y, s in zip(labels, scores, strict=True) if s == one]
              for one in sorted(set(scores), reverse=True)]  # fmt: skip
    orders = itertools.product(*(list(itertools.permutations(group)) for group in groups))
    return mean(value([y for group in order for y in group]) for order in orders)


def precision_at(k):
    return lambda order: Fraction(sum(order[:k]), k)


def recall_at(k):
    return lambda order: Fraction(sum(order[:k]), sum(order))


def hit_at(k):
    return lambda order: Fraction(int(any(order[:k])))


def r_precision(order):
    return Fraction(sum(order[: sum(order)]), sum(order))


def reciprocal_rank(order):
    return Fraction(1, order.index(1) + 1)


def average_precision_at(k):
    def value(order):
        terms = [Fraction(sum(order[: r + 1]), r + 1) for r in range(min(k, len(order))) if order[r]]
        return sum(terms, Fraction(0)) / min(k, sum(order))

    return value


def ndcg_at(k):
    """Logarithms are irrational: rounded once each, to fractions."""

    def value(order):
        gain = sum((Fraction(1 / math.log2(r + 2)) for r, y in enumerate(order[:k]) if y), Fraction(0))
        ideal = sum((Fraction(1 / math.log2(r + 2)) for r in range(min(k, sum(order)))), Fraction(0))
        return gain / ideal

    return value


def _over_orders(value):
    return functools.partial(over_orders, value)


BY_NAME = {
    "roc_auc": roc_auc,
    "average_precision": average_precision,
    "max_f1": functools.partial(best, f1),
    "max_accuracy": functools.partial(best, accuracy),
    "ks": functools.partial(best, two_sided),
    "ks_one_sided": functools.partial(best, gap),
    "precision@2": _over_orders(precision_at(2)),
    "recall@3": _over_orders(recall_at(3)),
    "hit@2": _over_orders(hit_at(2)),
    "mrr": _over_orders(reciprocal_rank),
    "r_precision": _over_orders(r_precision),
    "ndcg@3": _over_orders(ndcg_at(3)),
    "ap@3": _over_orders(average_precision_at(3)),
}
