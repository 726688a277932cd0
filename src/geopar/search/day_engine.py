"""The compiled search of HCVRP with a day as :class:`geopar.search.engines.Operations`."""

from __future__ import annotations

from geopar.plan import flatten
from geopar.search import day
from geopar.search.engines import Operations, Routes


def _from_routes(data: day.Data, routes: Routes, seed: int) -> day.State:
    return day.from_routes(data, seed, flatten(routes))


OPERATIONS = Operations(
    prepare=day.prepare,
    settings=day.parameters_for,
    initial=day.initial,
    best_initial=day.best_initial,
    from_routes=_from_routes,
    advance=day.anneal,
    best_cost=day.best_cost,
    best_routes=day.best_routes,
    seconds_per_iteration=2e-5,
    best_goal=day.best_goal,
)
