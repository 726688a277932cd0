"""Compiled search for OMDCPDP: prepare an instance, make a first plan, improve it in chunks.

Everything that a run changes is in its :class:`State`, so runs in different threads are
independent, and a state and a number of iterations determine what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geopar.search.neighbours import Pause, go_on
from geopar.search.omdcpdp.anneal import anneal
from geopar.search.omdcpdp.data import Data, Settings, prepare
from geopar.search.omdcpdp.schedule import Cooling, cooling_for
from geopar.search.omdcpdp.start import best_insertion, given, insertion
from geopar.search.omdcpdp.state import (
    BEST,
    CURRENT,
    DEBUG,
    DISCREPANCY,
    State,
    routes_of,
)

__all__ = [
    "Cooling",
    "Data",
    "Settings",
    "State",
    "best_cost",
    "best_initial",
    "best_routes",
    "cooling_for",
    "current_cost",
    "current_routes",
    "from_routes",
    "initial",
    "largest_discrepancy",
    "prepare",
    "run",
    "watch_costs",
]

Routes = list[NDArray[np.int64]]


def initial(data: Data, seed: int, pause: Pause = go_on) -> State:
    """A first plan by cheapest insertion."""
    return insertion(data, seed, pause=pause)


def best_initial(data: Data, tries: int) -> State:
    """The best of some insertions, or of fewer when there are many orders."""
    return best_insertion(data, tries)


def from_routes(data: Data, routes: Sequence[ArrayLike], seed: int) -> State:
    """A given feasible plan: for each vehicle its tasks in order."""
    return given(data, routes, seed)


def run(
    data: Data,
    state: State,
    iterations: int,
    fraction_start: float,
    fraction_end: float,
    cooling: Cooling,
) -> float:
    """Improve the plan for some iterations; return the best cost so far.

    Parameters
    ----------
    fraction_start, fraction_end
        The part of an annealing that these iterations are; the temperature follows it.
    cooling
        Of the run, see :func:`cooling_for`.
    """
    anneal(data, state, iterations, cooling.at(fraction_start), cooling.at(fraction_end))
    return best_cost(state)


def best_cost(state: State) -> float:
    """What the best plan so far costs."""
    return float(state.value[BEST])


def best_routes(state: State) -> Routes:
    """The best plan so far: the tasks of each vehicle in order."""
    return routes_of(state, state.best)


def current_cost(state: State) -> float:
    """What the plan that the search is at costs."""
    return float(state.value[CURRENT])


def current_routes(state: State) -> Routes:
    """The plan that the search is at."""
    return routes_of(state, state.following)


def watch_costs(state: State) -> None:
    """From now on recompute the cost after each accepted move (slow: for tests)."""
    state.counter[DEBUG] = 1


def largest_discrepancy(state: State) -> float:
    """The largest difference between a cost and its recomputation since ``watch_costs``."""
    return float(state.value[DISCREPANCY])
