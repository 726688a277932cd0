"""The compiled search of HCVRP as :class:`geopar.search.engines.Operations`."""

from __future__ import annotations

from geopar.plan import flatten
from geopar.search import hcvrp
from geopar.search.engines import Operations, Routes


def _settings(data: hcvrp.Data, horizon: float) -> hcvrp.Parameters:
    return hcvrp.parameters_for(len(data.near), len(data.vehicle), horizon)


def _from_routes(data: hcvrp.Data, routes: Routes, seed: int) -> hcvrp.State:
    return hcvrp.from_routes(data, seed, flatten(routes))


OPERATIONS = Operations(
    prepare=hcvrp.prepare,
    settings=_settings,
    initial=hcvrp.initial,
    best_initial=hcvrp.best_initial,
    from_routes=_from_routes,
    advance=hcvrp.anneal,
    best_cost=hcvrp.best_cost,
    best_routes=hcvrp.best_routes,
    seconds_per_iteration=6e-6,
)
