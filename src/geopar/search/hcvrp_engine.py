"""The compiled search of HCVRP as :class:`geopar.search.engines.Operations`."""

from __future__ import annotations

import math

import numpy as np

from geopar.plan import flatten
from geopar.search import hcvrp
from geopar.search.engines import Operations, Routes
from geopar.search.hcvrp.division import HCVRPDivision, can_divide
from geopar.search.neighbours import Pause, go_on
from geopar.search.teams import Size


def _settings(data: hcvrp.Data, horizon: float) -> hcvrp.Parameters:
    capacity = data.vehicle[:, hcvrp.CAPACITY]
    return hcvrp.parameters_for(
        len(data.near), len(capacity), hcvrp.about_trips(data), horizon,
        largest_to_smallest=float(capacity.max() / capacity.min()),
    )  # fmt: skip


def _from_routes(data: hcvrp.Data, routes: Routes, seed: int) -> hcvrp.State:
    return hcvrp.from_routes(data, seed, flatten(routes))


def _breed(
    data: hcvrp.Data,
    settings: hcvrp.Parameters,
    one: Routes,
    other: Routes,
    random: np.random.Generator,
) -> tuple[hcvrp.State, hcvrp.Parameters]:
    num_customers = len(data.near)
    routes = hcvrp.breed(one, other, num_customers, random)
    state = _from_routes(data, routes, int(random.integers(1 << 62)))
    return state, hcvrp.to_breed(settings, num_customers, hcvrp.about_trips(data))


def _divide(
    data: hcvrp.Data, settings: hcvrp.Parameters, pause: Pause = go_on
) -> HCVRPDivision | None:
    return HCVRPDivision(data, settings, pause) if can_divide(data) else None


OPERATIONS = Operations(
    prepare=hcvrp.prepare,
    settings=_settings,
    initial=hcvrp.initial,
    best_initial=hcvrp.best_initial,
    from_routes=_from_routes,
    advance=hcvrp.anneal,
    best_cost=hcvrp.best_cost,
    best_routes=hcvrp.best_routes,
    seconds_per_iteration=1.4e-6,
    annealing=lambda settings: settings.annealing,
    doublings=lambda settings: settings.doublings,
    breed=_breed,
    can_pause=True,
    divide=_divide,
    # Fewer vehicles have many trips each, all over the place.
    part_size=Size(tasks=math.inf, vehicles=20),
)
