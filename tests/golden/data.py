"""Small data that are the same with every version of NumPy: drawn with Python's generator, and rounded."""

import random

import numpy as np


def uniform(seed, *shape):
    """Numbers in [0, 1), by a generator that Python promises to keep."""
    draw = random.Random(seed).random  # noqa: S311 - nothing secret
    return np.array([draw() for _ in range(int(np.prod(shape)))]).reshape(shape)


def noise(seed, *shape):
    """Nearly normal numbers, to three decimals."""
    return np.round(uniform(seed, 12, *shape).sum(axis=0) - 6, 3)


def among(seed, values, samples):
    """One of the values for each sample."""
    return np.array(values)[(uniform(seed, samples) * len(values)).astype(int)]


class Data:
    """Samples of every kind with their models, slices, clusters and folds."""

    def __init__(self, samples, share, seed):
        self.samples = samples
        self.by = among(seed + 1, ["north", "south"], samples)
        self.clusters = among(seed + 2, range(max(6, samples // 5)), samples)
        self.folds = np.arange(samples) % 4
        self.weights = among(seed + 3, [1, 2, 3], samples)
        self.truth = (uniform(seed, samples) < share).astype(int)
        self.truth[:2] = 0, 1
        self.labels = {
            model: np.where(uniform(seed + at, samples) < right, self.truth, 1 - self.truth)
            for at, (model, right) in enumerate({"good": 0.85, "fair": 0.7, "coin": 0.5}.items(), 4)
        }
        self.scores = {
            model: np.clip(
                np.round(0.5 + step * (self.truth - 0.5) + 0.15 * noise(seed + at, samples), 2), 0.01, 0.99
            )
            for at, (model, step) in enumerate({"good": 0.35, "fair": 0.15}.items(), 10)
        }
        self.classes = among(seed + 20, ["ant", "bee", "bee", "cat", "dog", "dog"], samples)
        other = among(seed + 21, ["ant", "bee", "cat", "dog"], samples)
        self.guesses = {
            model: np.where(uniform(seed + at, samples) < right, self.classes, other)
            for at, (model, right) in enumerate({"good": 0.7, "fair": 0.4}.items(), 22)
        }
        names = np.array(["ant", "bee", "cat", "dog"])
        self.per_class = {
            model: np.round(step * (self.classes[:, None] == names) + uniform(seed + at, samples, 4), 4)
            for at, (model, step) in enumerate({"good": 0.6, "fair": 0.2}.items(), 26)
        }
        self.sets = (uniform(seed + 30, samples, 4) < [0.6, 0.4, 0.3, 0.15]).astype(int)
        self.set_guesses = {
            model: np.where(uniform(seed + at, samples, 4) < right, self.sets, 1 - self.sets)
            for at, (model, right) in enumerate({"good": 0.85, "fair": 0.65}.items(), 31)
        }
        self.numbers = np.round(np.exp(0.6 * noise(seed + 40, samples)), 3)
        self.forecasts = {
            model: np.round(self.numbers**power * np.exp(spread * noise(seed + at, samples)), 3)
            for at, (model, power, spread) in enumerate([("good", 0.9, 0.25), ("fair", 0.4, 0.6)], 41)
        }

    def runs(self, model="good"):
        """Three runs of one model: itself, with a tenth of its labels changed, and the fair one."""
        run = self.labels[model]
        changed = np.where(uniform(99, self.samples) < 0.1, 1 - run, run)
        return np.stack([run, changed, self.labels["fair"]])


DATA = {
    "even": Data(40, 0.45, 1000),
    "rare": Data(48, 0.15, 2000),
    "many": Data(200, 0.3, 3000),
}
