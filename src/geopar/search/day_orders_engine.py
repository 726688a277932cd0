"""The compiled search of OMDCPDP with a day as :class:`geopar.search.engines.Operations`."""

from __future__ import annotations

import numpy as np

from geopar.search import day_orders
from geopar.search.engines import Operations, Routes


def _settings(data: day_orders.Data, horizon: float) -> int:
    """About how many iterations the run will have; the temperatures follow it."""
    return int(min(horizon, 1e15))


def _from_routes(data: day_orders.Data, routes: Routes, seed: int) -> day_orders.State:
    nothing = np.zeros(0, dtype=np.int64)
    tours = [np.concatenate([nothing, *trips]) for trips in routes]
    return day_orders.from_routes(data, tours, seed)


def _advance(
    data: day_orders.Data,
    state: day_orders.State,
    horizon: int,
    iterations: int,
    begin: float,
    end: float,
) -> None:
    day_orders.run(data, state, iterations, begin, end, horizon)


def _best_routes(data: day_orders.Data, state: day_orders.State) -> Routes:
    return [[route] for route in day_orders.best_routes(data, state)]


OPERATIONS = Operations(
    prepare=day_orders.prepare,
    settings=_settings,
    initial=day_orders.initial,
    best_initial=day_orders.best_initial,
    from_routes=_from_routes,
    advance=_advance,
    best_cost=day_orders.best_cost,
    best_routes=_best_routes,
    seconds_per_iteration=5e-5,
    best_goal=day_orders.best_goal,
)
