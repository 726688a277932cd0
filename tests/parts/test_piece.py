import numpy as np

import geopar
from geopar.checking import check
from geopar.parts.piece import Effort, Piece, Place, improve, joined
from geopar.plan import Plan, flatten, unflatten
from geopar.search.teams import FlatPlan, trips_of
from geopar.stop import MaxRuntime

ROUTES = [[np.array([5, 1]), np.array([0])], [], [np.array([3, 2, 4])]]
PLAN = flatten(ROUTES)
ARRAYS = {
    "depot": (0.0, 0.0), "customers": [(1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (0.0, 2.0)],
    "demand": [1.0] * 4, "capacity": [2.0, 2.0], "speed": [1.0, 1.0],
}  # fmt: skip


def as_lists(plan: FlatPlan, vehicles: int = 3) -> list[list[list[int]]]:
    return [[trip.tolist() for trip in trips] for trips in unflatten(*plan, vehicles)]


def test_what_is_taken_apart_can_be_joined() -> None:
    parts = []
    for vehicles in ([0], [1, 2]):
        own = trips_of(PLAN, np.array(vehicles), 3)
        place = Place(np.sort(own[0]), np.array(vehicles))
        inside = place.inside(own)
        assert sorted(inside[0]) == list(range(len(own[0])))
        parts.append(place.outside(inside))
    assert as_lists(joined(parts)) == as_lists(PLAN)


def test_a_piece_is_searched_from_its_plan_or_from_nothing() -> None:
    worst = flatten([[np.array([0, 3]), np.array([1, 2])], []])
    for plan in (None, worst):
        piece = Piece("hcvrp", ARRAYS, plan, Effort(1, iterations=200, horizon=200.0))
        found = improve(piece)
        assert found.iterations == 200
        made = Plan.from_indices(piece.problem(), unflatten(*found.plan, 2))
        assert check(piece.problem(), made).objective == 4.0


def test_a_piece_is_determined_by_its_description() -> None:
    problem = geopar.generate("hcvrp/30/3", seed=2)
    arrays = {
        "depot": problem.depot_xy, "customers": problem.customers_xy, "demand": problem.demand,
        "capacity": problem.capacity, "speed": problem.speed,
    }  # fmt: skip
    piece = Piece("hcvrp", arrays, None, Effort(3, 0.2, 0.6, 900.0, iterations=300))
    one, other = improve(piece), improve(piece)
    assert all(np.array_equal(a, b) for a, b in zip(one.plan, other.plan, strict=True))


def test_it_ends_after_seconds_where_iterations_are_not_given() -> None:
    assert Effort(1, seconds=0.05).rule == MaxRuntime(0.05)
    assert improve(Piece("hcvrp", ARRAYS, None, Effort(1, seconds=0.05))).iterations > 0
