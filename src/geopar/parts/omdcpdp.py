"""Parts of an OMDCPDP: vehicles by where their stops lie; the sum of arrivals adds up by itself."""

from __future__ import annotations

import numpy as np

from geopar.parts.cells import cells
from geopar.parts.piece import Effort, Flat, Ints, Piece, Place
from geopar.plan import flatten, unflatten
from geopar.problems import OMDCPDP
from geopar.search import omdcpdp
from geopar.search.omdcpdp_engine import OPERATIONS


def cost(problem: OMDCPDP, plan: Flat) -> float:
    """The sum of the arrivals at deliveries."""
    first, sizes = plan.bounds[:-1], plan.sizes
    places = problem.tasks_xy[plan.tasks]
    before = np.roll(places, 1, axis=0)
    before[first] = problem.starts_xy[plan.vehicle]
    along = np.cumsum(np.hypot(*(places - before).T))
    at_start = np.concatenate([[0.0], along])[first]
    arrivals = along - np.repeat(at_start, sizes)
    return float(arrivals[plan.tasks >= problem.num_tasks // 2].sum())


def split(problem: OMDCPDP, plan: Flat, count: int, angle: float) -> Ints:
    """The part of each route: where its vehicle's stops lie."""
    middle = np.add.reduceat(problem.tasks_xy[plan.tasks], plan.bounds[:-1])
    return cells(middle / plan.sizes[:, None], count, angle)


def pieces(
    problem: OMDCPDP, plan: Flat, part: Ints, efforts: list[Effort]
) -> list[tuple[Piece, Place]]:
    """A piece for each part, and where it belongs; idle vehicles are dealt out."""
    half = problem.num_tasks // 2
    part_of = np.zeros(problem.num_vehicles, dtype=np.int64)
    idle = np.setdiff1d(np.arange(problem.num_vehicles), plan.vehicle)
    part_of[plan.vehicle] = part
    part_of[idle] = np.arange(len(idle)) % len(efforts)
    made = []
    for number, effort in enumerate(efforts):
        own = plan.some(part == number)
        place = Place(np.sort(own.tasks), np.flatnonzero(part_of == number))
        orders = place.tasks[place.tasks < half]
        arrays = {
            "pickups": problem.tasks_xy[orders],
            "deliveries": problem.tasks_xy[orders + half],
            "starts": problem.starts_xy[place.vehicles],
            "capacity": problem.capacity[place.vehicles],
        }
        made.append((Piece(arrays, place.inside(own), effort), place))
    return made


def improve(piece: Piece) -> Flat:
    """The task itself: search a part."""
    effort, problem = piece.effort, OMDCPDP(**piece.arrays)
    data = omdcpdp.prepare(problem)
    routes = unflatten(*piece.plan, problem.num_vehicles)
    state = OPERATIONS.from_routes(data, routes, effort.seed)
    settings = OPERATIONS.settings(data, effort.horizon)
    OPERATIONS.advance(data, state, settings, effort.iterations, effort.begin, effort.end)
    return Flat(*flatten(OPERATIONS.best_routes(data, state)))
