"""Parts of an HCVRP: trips by where they lie, with the rest of each vehicle's time set aside.

A vehicle has trips in many regions, so regions are regions of trips, and in each of them a vehicle
begins after what it does elsewhere. Where it has time left until the makespan, each region gets an
equal share of that: what they add, each for itself, then never adds up to more than the makespan.
"""

from __future__ import annotations

import numpy as np

from geopar.parts.cells import cells
from geopar.parts.piece import Effort, Flat, Floats, Ints, Piece, Place
from geopar.plan import flatten
from geopar.problems import HCVRP
from geopar.search import hcvrp
from geopar.search.hcvrp.data import DayData, PlainData
from geopar.search.hcvrp.state import BEST, FIRST, MAKESPAN, NEXT, OWNER, State
from geopar.search.hcvrp_engine import OPERATIONS


def lengths(problem: HCVRP, plan: Flat) -> Floats:
    """What is driven on each trip."""
    places = problem.customers_xy[plan.tasks]
    legs = np.hypot(*(places[1:] - places[:-1]).T)
    along = np.concatenate([[0.0], np.cumsum(legs)])
    first, last = plan.bounds[:-1], plan.bounds[1:] - 1
    from_depot = np.hypot(*(places - problem.depot_xy).T)
    return along[last] - along[first] + from_depot[first] + from_depot[last]  # type: ignore[no-any-return]


def cost(problem: HCVRP, plan: Flat) -> float:
    """The makespan."""
    driven = np.bincount(plan.vehicle, lengths(problem, plan), problem.num_vehicles)
    return float((driven / problem.speed).max())


def split(problem: HCVRP, plan: Flat, count: int, angle: float) -> Ints:
    """The part of each trip."""
    middle = np.add.reduceat(problem.customers_xy[plan.tasks], plan.bounds[:-1])
    return cells(middle / plan.sizes[:, None], count, angle)


def set_aside(problem: HCVRP, plan: Flat, part: Ints, count: int) -> tuple[Floats, Floats]:
    """When each vehicle begins in each part, and what it drives there: ``(M, count)`` each."""
    inside = np.zeros((problem.num_vehicles, count))
    np.add.at(inside, (plan.vehicle, part), lengths(problem, plan))
    inside /= problem.speed[:, None]
    times = inside.sum(axis=1)
    left = times.max() - times
    regions = np.maximum(1, (inside > 0.0).sum(axis=1))
    begins = (times + left * (1.0 - 1.0 / regions))[:, None] - inside
    return begins, inside


def pieces(
    problem: HCVRP, plan: Flat, part: Ints, efforts: list[Effort]
) -> list[tuple[Piece, Place]]:
    """A piece for each part, and where it belongs."""
    begins, inside = set_aside(problem, plan, part, len(efforts))
    made = []
    for number, effort in enumerate(efforts):
        own = plan.some(part == number)
        place = Place(np.sort(own.tasks), np.flatnonzero(inside[:, number] > 0.0))
        arrays = {
            "depot": problem.depot_xy,
            "customers": problem.customers_xy[place.tasks],
            "demand": problem.demand[place.tasks],
            "capacity": problem.capacity[place.vehicles],
            "speed": problem.speed[place.vehicles],
            "begins": begins[place.vehicles, number],
        }
        made.append((Piece(arrays, place.inside(own), effort), place))
    return made


def improve(piece: Piece) -> Flat:
    """The task itself: search a part."""
    arrays, effort = dict(piece.arrays), piece.effort
    begins = arrays.pop("begins")
    data = begin_later(hcvrp.prepare(HCVRP(**arrays)), begins)
    state = hcvrp.from_routes(data, effort.seed, piece.plan)
    before = state.totals[BEST]
    settings = OPERATIONS.settings(data, effort.horizon)
    hcvrp.anneal(data, state, settings, effort.iterations, effort.begin, effort.end)
    # The latest vehicle may have nothing here that could be shortened: then the plan at hand is no
    # later, but better for the others.
    if state.totals[MAKESPAN] <= before:
        take_as_best(state)
    return Flat(*flatten(hcvrp.best_routes(data, state)))


def begin_later(plain: PlainData, begins: Floats) -> DayData:
    """The same instance, where vehicles begin at these times."""
    return DayData(
        np.column_stack([plain.place, np.zeros(len(plain.place))]),
        np.column_stack([plain.vehicle, begins / plain.unit]),
        *plain[2:],
        loading=0.0,
    )


def take_as_best(state: State) -> None:
    """Let the plan at hand be the best."""
    state.best_next[:] = state.customer[: len(state.best_next), NEXT]
    state.best_trip[:, 0] = state.trip[:, FIRST]
    state.best_trip[:, 1] = state.trip[:, OWNER]
    state.totals[BEST] = state.totals[MAKESPAN]
