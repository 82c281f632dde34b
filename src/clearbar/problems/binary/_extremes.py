"""Which way leads to the best draws: chosen here for one population and for many."""

from __future__ import annotations

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core.counts import Population
from clearbar.problems.binary._fleet import fleet_optima
from clearbar.problems.binary._optimum import Optimum
from clearbar.problems.binary._policy import Filling
from clearbar.problems.binary._search import optima


def extremes(measure: Measure, population: Population, filling: Filling) -> tuple[Optimum, Optimum]:
    """Return the largest and the smallest expected score of one population, or of many."""
    if population.shape:
        margins = np.asarray(population.total), np.asarray(population.positives)
        return fleet_optima(measure, *margins, filling)
    return optima(measure, int(population.total), int(population.positives), filling)
