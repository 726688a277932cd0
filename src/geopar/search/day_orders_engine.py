"""The compiled search of OMDCPDP with a day as :class:`geopar.search.engines.Operations`."""

from __future__ import annotations

from geopar.search import day_orders
from geopar.search.engines import Operations, Routes, iterations_until, tours_of


def _from_routes(data: day_orders.Data, routes: Routes, seed: int) -> day_orders.State:
    return day_orders.from_routes(data, tours_of(routes), seed)


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
    settings=iterations_until,
    initial=day_orders.initial,
    best_initial=day_orders.best_initial,
    from_routes=_from_routes,
    advance=_advance,
    best_cost=day_orders.best_cost,
    best_routes=_best_routes,
    seconds_per_iteration=5e-5,
    best_goal=day_orders.best_goal,
)
