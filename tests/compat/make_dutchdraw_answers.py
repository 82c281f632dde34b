"""Make dutchdraw_answers.json.gz: what the PyPI release DutchDraw 0.0.2 answers to random inputs.

Run where it is installed with what it needs but does not declare, under Python 3.11 (its `Domain`
fails there and works on later ones)::

    python3.11 -m venv .venv-older
    .venv-older/bin/pip install DutchDraw==0.0.2 numpy==2.4.6 scipy==1.17.1 tqdm
    .venv-older/bin/python tests/compat/make_dutchdraw_answers.py

The numbers in the file were made with NumPy 2.4.6 and SciPy 1.17.1. Its sleep, its progress bar and
its prints are patched out. Errors are stored by their type.
"""

import contextlib
import gzip
import io
import json
import math
import platform
import random
import sys
import warnings
from pathlib import Path

import DutchDraw as dd  # noqa: N813 - as its README does

sys.modules["DutchDraw.DutchDraw"].time.sleep = lambda _: None
sys.modules["DutchDraw.DutchDraw"].tqdm = lambda steps: steps

FOUND = Path(__file__).with_name("dutchdraw_answers.json.gz")
KEYS = list(dd.measure_dictionary)
BETAS = (1, 2, 0.5, 3, 0)
ENDS = ("max", "min")
ORDER = ("Max Expected Value", "Argmax Expected Value", "Min Expected Value", "Argmin Expected Value")


def answer(function, *arguments, **options):
    """Return what it returns as JSON has it, or the type of what it raises."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found = function(*arguments, **options)
    except Exception as error:  # noqa: BLE001 - whatever it raises is its answer
        return type(error).__name__
    if isinstance(found, dict):
        return {name: plain(value) for name, value in found.items()}
    return plain(found)


def plain(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return value


def pick(rng):
    """Return a key, one of its names in some case, and a beta."""
    key = rng.choice(KEYS)
    name = rng.choice(dd.measure_dictionary[key])
    beta = rng.choice(BETAS) if key == "FBETA" else 1
    return key, rng.choice((name, name.lower(), name.title())), beta


def sizes(rng, most):
    m = rng.randint(1, most)
    return m, rng.choice((rng.randint(0, m), rng.randint(0, m), rng.randint(0, m), 0, 1, m))


def labels(m, p):
    return [1] * p + [0] * (m - p)


def scores(rng, number):
    for _ in range(number):
        key, name, beta = pick(rng)
        m = rng.randint(1, 60)
        shares = rng.random(), rng.random()
        y_true, y_pred = ([int(rng.random() < share) for _ in range(m)] for share in shares)
        pairs = list(zip(y_true, y_pred, strict=True))
        cells = [pairs.count(pair) for pair in ((1, 1), (0, 1), (1, 0), (0, 0))]
        boolean = rng.random() < 0.15
        kind = bool if boolean else int
        found = answer(dd.measure_score, list(map(kind, y_true)), list(map(kind, y_pred)), name, beta=beta)
        yield [key, name, beta, cells, boolean, found]


def optima(rng, number):
    for _ in range(number):
        key, name, beta = pick(rng)
        m, p = sizes(rng, 12 if key == "G2" else 40)
        found = answer(dd.optimized_baseline_statistics, labels(m, p), name, beta=beta)
        if isinstance(found, dict):
            for end in ORDER[1::2]:
                draws = [round(share * m) for share in found[end]]
                assert [k / m for k in draws] == found[end]
                found[end] = draws
            found = [found[name] for name in ORDER]
        yield [key, name, beta, m, p, found]


def thetas(rng, number):
    for _ in range(number):
        key, name, beta = pick(rng)
        m, p = sizes(rng, 30)
        theta = rng.choice(
            (
                rng.randint(0, m) / m,
                rng.random(),
                (rng.randint(0, m - 1) + 0.5) / m,
                rng.choice((0, 1, (m - p) / m)),
            )
        )
        functions = dd.baseline_functions(labels(m, p), name, beta)
        domain = answer(functions["Domain"], theta)
        scores = [0.5, *(domain if isinstance(domain, list) and key in {"G2", "TS"} else [])]
        yield [
            key,
            name,
            beta,
            m,
            p,
            theta,
            {
                "mean": answer(functions["Expectation Function"], theta),
                "variance": answer(functions["Variance Function"], theta),
                "fast": answer(functions.get("Fast Expectation Function", functions.get), theta),
                "domain": domain,
                "scores": scores,
                "pmf": [answer(functions["Distribution"], y, theta) for y in scores],
            },
        ]


def flags():
    y_true = labels(8, 3)
    for key in KEYS:
        for known in ((True, True), (True, False), (False, True), (False, False)):
            found = (
                answer(dd.optimized_baseline_statistics, y_true, key, 1, *known),
                answer(dd.DutchDraw_baseline, y_true, key, "optimal", *known),
                answer(dd.DutchDraw_baseline, y_true, key, "all", *known),
                answer(dd.baseline_functions, y_true, key, 1, *known),
                answer(dd.baseline_functions_given_theta, 0.5, y_true, key, 1, *known),
            )
            yield [key, known, [each if isinstance(each, str) else "answer" for each in found]]


def classifiers(rng, number):
    for _ in range(number):
        key, _, beta = pick(rng)
        theta = rng.choice((*ENDS, *ENDS, None))
        known = rng.choice(((True, True), (True, True), (True, False), (False, True), (False, False)))
        if theta is None or known == (True, True):
            m, p = sizes(rng, 12 if key == "G2" else 30)
        else:  # what is not known is asked of populations with both classes
            m = rng.randint(2, 12 if key == "G2" else 30)
            p = rng.randint(1, m - 1)
        if theta is None:
            theta = rng.choice(
                (float(rng.randint(0, m)) / m, rng.random(), (rng.randint(0, m - 1) + 0.5) / m)
            )
        sign = rng.choice((None, "<" if 2 * p < m else ">" if 2 * p > m else "="))
        found = answer(dd.DutchDraw_classifier, labels(m, p), theta, key, beta, *known, sign)
        if isinstance(found, list):
            assert found == sorted(found, reverse=True) or (key, known) == ("ACC", (False, False))
            found = [sum(found), len(found)]
        yield [key, beta, m, p, theta, known, sign, found]


def main():
    rng = random.Random(20240229)  # noqa: S311 - not a secret
    found = {
        "made with": f"DutchDraw 0.0.2, Python {platform.python_version()}",
        "measure_dictionary": dd.measure_dictionary,
        "scores": list(scores(rng, 3000)),
        "optima": list(optima(rng, 2500)),
        "thetas": list(thetas(rng, 3000)),
        "flags": list(flags()),
        "classifiers": list(classifiers(rng, 2000)),
    }
    text = json.dumps(found, separators=(",", ":"), ensure_ascii=False)
    FOUND.write_bytes(gzip.compress(text.encode(), mtime=0))
    sys.stdout.write(f"{len(text)} characters, {FOUND.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
