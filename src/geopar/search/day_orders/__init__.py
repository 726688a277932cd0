"""Compiled search for OMDCPDP with a day: times, windows, shifts, orders that may be left out.

As in :mod:`geopar.search.omdcpdp` everything that a run changes is in its :class:`State`. A plan
under search can always be driven; an order for which there is no room is left out.
"""

from __future__ import annotations

from geopar.search.day_orders.anneal import anneal
from geopar.search.day_orders.data import Data, Ints, Settings, prepare
from geopar.search.day_orders.start import best_initial, from_routes, initial
from geopar.search.day_orders.state import BEST_ABSENT, State, routes_of

__all__ = [
    "Data",
    "Settings",
    "State",
    "best_cost",
    "best_goal",
    "best_initial",
    "best_routes",
    "current_routes",
    "from_routes",
    "initial",
    "prepare",
    "run",
]

# How often one more order of mean priority is left out at the first temperature: e^-so much.
_PATIENCE = 7.0


def run(
    data: Data,
    state: State,
    iterations: int,
    fraction_start: float,
    fraction_end: float,
    horizon: int = 0,
) -> float:
    """Improve the plan for some iterations; return the best cost so far.

    Parameters
    ----------
    fraction_start, fraction_end
        The part of the whole run that these iterations are; the temperature follows it.
    horizon
        About how many iterations the whole run will have; 0 when nobody knows.
    """
    hot, cold = temperatures(data, horizon)
    ratio = cold / hot
    patience = float(data.priority.mean()) / (_PATIENCE * hot)
    anneal(
        data, state, iterations, hot * ratio**fraction_start, hot * ratio**fraction_end, patience
    )
    return best_cost(data, state)


def temperatures(data: Data, horizon: int) -> tuple[float, float]:
    """The first and the last temperature of a run of about ``horizon`` iterations."""
    settings = data.settings
    # The shorter a run and the larger the instance, the more is kept of the first plan.
    heat = 0.02 * (horizon / data.orders) ** 0.5 * min(1.0, 500.0 / data.orders) ** 0.3
    heat = min(1.0, max(0.02, heat)) if horizon else 1.0
    return settings.hot * heat * data.unit, min(
        settings.cold, 0.5 * settings.hot * heat
    ) * data.unit


def best_cost(data: Data, state: State) -> float:
    """What the best plan so far costs, in the user's units.

    Anything left out costs more than any plan that serves it.
    """
    return float(state.best_total[data.goal] + data.dear * state.value[BEST_ABSENT])


def best_goal(data: Data, state: State) -> float:
    """The same without what is left out."""
    return float(state.best_total[data.goal])


def best_routes(data: Data, state: State) -> list[Ints]:
    """The best plan so far: the tasks of each vehicle in order."""
    return routes_of(data, state.best)


def current_routes(data: Data, state: State) -> list[Ints]:
    """The plan that the search is at."""
    return routes_of(data, state.following)
