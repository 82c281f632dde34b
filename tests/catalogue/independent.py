"""The measures once more, from the textbooks: plain fractions and 60-digit numbers, one table at a time.

Nothing here is imported from the package, and no formula is rearranged: this is what the catalogue is
compared with. A table without a value raises ZeroDivisionError.
"""

from fractions import Fraction

import mpmath

mpmath.mp.dps = 60

FORMULAS = {}


def entry(function):
    FORMULAS[function.__name__] = function
    return function


def value(name, tp, fp, fn, tn, **parameters):
    """Return the value as a Fraction or an mpmath number."""
    return FORMULAS[name](*(Fraction(int(cell)) for cell in (tp, fp, fn, tn)), **parameters)


def real(number):
    if isinstance(number, Fraction):
        return mpmath.mpf(number.numerator) / number.denominator
    return mpmath.mpf(number)


def root(number):
    return mpmath.sqrt(real(number))


def ln(number):
    if number <= 0:
        raise ZeroDivisionError
    return mpmath.log(real(number))


def ratio(a, b):
    if b == 0:
        raise ZeroDivisionError
    return real(a) / real(b) if not isinstance(a, Fraction) or not isinstance(b, Fraction) else a / b


# A. Counts


@entry
def tp(tp, fp, fn, tn):
    return tp


@entry
def tn(tp, fp, fn, tn):
    return tn


@entry
def fp(tp, fp, fn, tn):
    return fp


@entry
def fn(tp, fp, fn, tn):
    return fn


# B. Rates


@entry
def recall(tp, fp, fn, tn):
    return tp / (tp + fn)


@entry
def specificity(tp, fp, fn, tn):
    return tn / (tn + fp)


@entry
def fpr(tp, fp, fn, tn):
    return fp / (tn + fp)


@entry
def fnr(tp, fp, fn, tn):
    return fn / (tp + fn)


@entry
def precision(tp, fp, fn, tn):
    return tp / (tp + fp)


@entry
def npv(tp, fp, fn, tn):
    return tn / (tn + fn)


@entry
def fdr(tp, fp, fn, tn):
    return fp / (tp + fp)


@entry
def false_omission_rate(tp, fp, fn, tn):
    return fn / (tn + fn)


@entry
def prevalence(tp, fp, fn, tn):
    return (tp + fn) / (tp + fp + fn + tn)


@entry
def predicted_positive_rate(tp, fp, fn, tn):
    return (tp + fp) / (tp + fp + fn + tn)


@entry
def frequency_bias(tp, fp, fn, tn):
    return (tp + fp) / (tp + fn)


@entry
def detection_rate(tp, fp, fn, tn):
    return tp / (tp + fp + fn + tn)


# C. Whole matrix


@entry
def accuracy(tp, fp, fn, tn):
    return (tp + tn) / (tp + fp + fn + tn)


@entry
def error_rate(tp, fp, fn, tn):
    return 1 - accuracy(tp, fp, fn, tn)


@entry
def balanced_accuracy(tp, fp, fn, tn):
    return (recall(tp, fp, fn, tn) + specificity(tp, fp, fn, tn)) / 2


@entry
def balanced_error_rate(tp, fp, fn, tn):
    return 1 - balanced_accuracy(tp, fp, fn, tn)


@entry
def weighted_accuracy(tp, fp, fn, tn, w):
    return w * recall(tp, fp, fn, tn) + (1 - w) * specificity(tp, fp, fn, tn)


@entry
def informedness(tp, fp, fn, tn):
    return recall(tp, fp, fn, tn) + specificity(tp, fp, fn, tn) - 1


@entry
def markedness(tp, fp, fn, tn):
    return precision(tp, fp, fn, tn) + npv(tp, fp, fn, tn) - 1


@entry
def mcc(tp, fp, fn, tn):
    margins = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
    return ratio(tp * tn - fp * fn, root(margins))


@entry
def kappa(tp, fp, fn, tn):
    m = tp + fp + fn + tn
    observed = (tp + tn) / m
    chance = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / m**2
    return (observed - chance) / (1 - chance)


@entry
def scott_pi(tp, fp, fn, tn):
    m = tp + fp + fn + tn
    q = (tp + fn + tp + fp) / (2 * m)
    chance = q**2 + (1 - q) ** 2
    return ((tp + tn) / m - chance) / (1 - chance)


@entry
def gwet_ac1(tp, fp, fn, tn):
    m = tp + fp + fn + tn
    q = (tp + fn + tp + fp) / (2 * m)
    chance = 2 * q * (1 - q)
    return ((tp + tn) / m - chance) / (1 - chance)


@entry
def bennett_s(tp, fp, fn, tn):
    return 2 * accuracy(tp, fp, fn, tn) - 1


# D. F family and overlaps


@entry
def f1(tp, fp, fn, tn):
    return 2 * tp / (2 * tp + fp + fn)


@entry
def fbeta(tp, fp, fn, tn, beta):
    return (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)


@entry
def f1_negative(tp, fp, fn, tn):
    return f1(tn, fn, fp, tp)


@entry
def f1_macro(tp, fp, fn, tn):
    return (f1(tp, fp, fn, tn) + f1_negative(tp, fp, fn, tn)) / 2


@entry
def f1_weighted(tp, fp, fn, tn):
    p, n = tp + fn, fp + tn
    return (p * f1(tp, fp, fn, tn) + n * f1_negative(tp, fp, fn, tn)) / (p + n)


@entry
def p4(tp, fp, fn, tn):
    return 4 * tp * tn / (4 * tp * tn + (tp + tn) * (fp + fn))


@entry
def fowlkes_mallows(tp, fp, fn, tn):
    return root(precision(tp, fp, fn, tn) * recall(tp, fp, fn, tn))


@entry
def g_mean(tp, fp, fn, tn):
    return root(recall(tp, fp, fn, tn) * specificity(tp, fp, fn, tn))


@entry
def threat_score(tp, fp, fn, tn):
    return tp / (tp + fp + fn)


@entry
def jaccard_negative(tp, fp, fn, tn):
    return tn / (tn + fp + fn)


@entry
def jaccard_macro(tp, fp, fn, tn):
    return (threat_score(tp, fp, fn, tn) + jaccard_negative(tp, fp, fn, tn)) / 2


@entry
def tversky(tp, fp, fn, tn, alpha, beta):
    return tp / (tp + alpha * fn + beta * fp)


@entry
def braun_blanquet(tp, fp, fn, tn):
    return tp / max(tp + fn, tp + fp)


@entry
def overlap(tp, fp, fn, tn):
    return tp / min(tp + fn, tp + fp)


@entry
def kulczynski2(tp, fp, fn, tn):
    return (precision(tp, fp, fn, tn) + recall(tp, fp, fn, tn)) / 2


@entry
def icsi(tp, fp, fn, tn):
    return precision(tp, fp, fn, tn) + recall(tp, fp, fn, tn) - 1


@entry
def sokal_sneath1(tp, fp, fn, tn):
    return tp / (tp + 2 * fp + 2 * fn)


@entry
def rogers_tanimoto(tp, fp, fn, tn):
    return (tp + tn) / (tp + tn + 2 * (fp + fn))


# E. Forecast verification


@entry
def equitable_threat_score(tp, fp, fn, tn):
    random = (tp + fn) * (tp + fp) / (tp + fp + fn + tn)
    return (tp - random) / (tp + fp + fn - random)


@entry
def diagnostic_odds_ratio(tp, fp, fn, tn):
    return tp * tn / (fp * fn)


@entry
def log_odds_ratio(tp, fp, fn, tn):
    return ln(diagnostic_odds_ratio(tp, fp, fn, tn))


@entry
def yule_q(tp, fp, fn, tn):
    return (tp * tn - fp * fn) / (tp * tn + fp * fn)


@entry
def yule_y(tp, fp, fn, tn):
    a, b = root(tp * tn), root(fp * fn)
    return ratio(a - b, a + b)


@entry
def positive_likelihood_ratio(tp, fp, fn, tn):
    return recall(tp, fp, fn, tn) / fpr(tp, fp, fn, tn)


@entry
def negative_likelihood_ratio(tp, fp, fn, tn):
    return fnr(tp, fp, fn, tn) / specificity(tp, fp, fn, tn)


@entry
def discriminant_power(tp, fp, fn, tn):
    hit, quiet = recall(tp, fp, fn, tn), specificity(tp, fp, fn, tn)
    return root(3) / mpmath.pi * (ln(hit / (1 - hit)) + ln(quiet / (1 - quiet)))


@entry
def lift(tp, fp, fn, tn):
    return precision(tp, fp, fn, tn) / prevalence(tp, fp, fn, tn)


@entry
def eds(tp, fp, fn, tn):
    m = tp + fp + fn + tn
    return ratio(2 * ln((tp + fn) / m), ln(tp / m)) - 1


@entry
def seds(tp, fp, fn, tn):
    m = tp + fp + fn + tn
    return ratio(ln((tp + fp) / m) + ln((tp + fn) / m), ln(tp / m)) - 1


@entry
def edi(tp, fp, fn, tn):
    f, h = fpr(tp, fp, fn, tn), recall(tp, fp, fn, tn)
    return ratio(ln(f) - ln(h), ln(f) + ln(h))


@entry
def sedi(tp, fp, fn, tn):
    f, h = fpr(tp, fp, fn, tn), recall(tp, fp, fn, tn)
    return ratio(ln(f) - ln(h) - ln(1 - f) + ln(1 - h), ln(f) + ln(h) + ln(1 - f) + ln(1 - h))


@entry
def prevalence_threshold(tp, fp, fn, tn):
    f, h = root(fpr(tp, fp, fn, tn)), root(recall(tp, fp, fn, tn))
    return ratio(f, h + f)


# F. Distance, information, cost


@entry
def roc_distance(tp, fp, fn, tn):
    return root(fnr(tp, fp, fn, tn) ** 2 + fpr(tp, fp, fn, tn) ** 2)


@entry
def similarity_index(tp, fp, fn, tn):
    return 1 - roc_distance(tp, fp, fn, tn) / root(2)


@entry
def information_score(tp, fp, fn, tn):
    return ln(lift(tp, fp, fn, tn)) / ln(2)


@entry
def mutual_information(tp, fp, fn, tn):
    m = tp + fp + fn + tn
    p, n, k, rest = tp + fn, fp + tn, tp + fp, fn + tn
    parts = ((tp, p, k), (fp, n, k), (fn, p, rest), (tn, n, rest))
    bits = (real(c / m) * ln((c / m) / ((a / m) * (b / m))) / ln(2) for c, a, b in parts if c)
    return sum(bits, mpmath.mpf(0))


@entry
def uncertainty_coefficient(tp, fp, fn, tn):
    m = tp + fp + fn + tn
    entropy = -sum(real(c / m) * ln(c / m) / ln(2) for c in (tp + fn, fp + tn) if c)
    return ratio(mutual_information(tp, fp, fn, tn), entropy)


@entry
def chi2(tp, fp, fn, tn):
    return (tp + fp + fn + tn) * phi_squared(tp, fp, fn, tn)


@entry
def phi_squared(tp, fp, fn, tn):
    return (tp * tn - fp * fn) ** 2 / ((tp + fn) * (fp + tn) * (tp + fp) * (fn + tn))


@entry
def gk_lambda_pred(tp, fp, fn, tn):
    m, larger = tp + fp + fn + tn, max(tp + fp, fn + tn)
    return (max(tp, fn) + max(fp, tn) - larger) / (m - larger)


@entry
def gk_lambda_true(tp, fp, fn, tn):
    m, larger = tp + fp + fn + tn, max(tp + fn, fp + tn)
    return (max(tp, fp) + max(fn, tn) - larger) / (m - larger)


@entry
def optimized_precision(tp, fp, fn, tn):
    hit, quiet = recall(tp, fp, fn, tn), specificity(tp, fp, fn, tn)
    return accuracy(tp, fp, fn, tn) - abs(hit - quiet) / (hit + quiet)


@entry
def iba(tp, fp, fn, tn, alpha):
    hit, quiet = recall(tp, fp, fn, tn), specificity(tp, fp, fn, tn)
    return (1 + alpha * (hit - quiet)) * hit * quiet


@entry
def adjusted_geometric_mean(tp, fp, fn, tn):
    share = (fp + tn) / (tp + fp + fn + tn)
    both, quiet = g_mean(tp, fp, fn, tn), specificity(tp, fp, fn, tn)
    return (both + real(quiet * share)) / real(1 + share) if tp else Fraction(0)


@entry
def adjusted_f(tp, fp, fn, tn):
    return root(fbeta(tp, fp, fn, tn, 2) * fbeta(tn, fn, fp, tp, Fraction(1, 2)))


@entry
def bangdiwala_b(tp, fp, fn, tn):
    return (tp**2 + tn**2) / ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn))


@entry
def net_benefit(tp, fp, fn, tn, w):
    m = tp + fp + fn + tn
    return tp / m - w * fp / m


@entry
def standardized_net_benefit(tp, fp, fn, tn, w):
    return net_benefit(tp, fp, fn, tn, w) / prevalence(tp, fp, fn, tn)


@entry
def expected_cost(tp, fp, fn, tn, c_fn, c_fp):
    return (c_fn * fn + c_fp * fp) / (tp + fp + fn + tn)


def _odds(tp, fp, fn, tn):
    share = prevalence(tp, fp, fn, tn)
    return share / (1 - share)


@entry
def precision_gain(tp, fp, fn, tn):
    return 1 - _odds(tp, fp, fn, tn) * (fp / tp)


@entry
def recall_gain(tp, fp, fn, tn):
    return 1 - _odds(tp, fp, fn, tn) * (fn / tp)


@entry
def f1_gain(tp, fp, fn, tn):
    return 1 - _odds(tp, fp, fn, tn) * (fp + fn) / (2 * tp)


@entry
def accuracy_skill(tp, fp, fn, tn):
    no_information = max(tp + fn, fp + tn) / (tp + fp + fn + tn)
    return (accuracy(tp, fp, fn, tn) - no_information) / (1 - no_information)
