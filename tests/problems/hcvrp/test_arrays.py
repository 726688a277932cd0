import pytest

import instances
from geopar.errors import Place
from geopar.problems.hcvrp.arrays import SHAPES, arrays_of, member_at, problem_at


@pytest.mark.parametrize("make", instances.HCVRPS)
def test_there_and_back(make):
    problem = make()
    arrays = arrays_of(problem)
    assert set(arrays) == set(SHAPES)
    rows = {name: array[None] for name, array in arrays.items()}
    named = problem.named + "_ids"
    again = problem_at(
        rows, 0, name=problem.name, coordinates=problem.coordinates,
        vehicle_ids=problem.vehicle_ids, **{named: getattr(problem, named)},
    )  # fmt: skip
    assert again == problem


@pytest.mark.parametrize(
    ("place", "member"),
    [
        (Place("depot", 0, "y"), "depot[2, 1]"),
        (Place("customer", 3, "x"), "locs[2, 3, 0]"),
        (Place("customer", 3, "lat"), "locs[2, 3, 1]"),
        (Place("customer", 1, "demand"), "demand[2, 1]"),
        (Place("vehicle", 0, "speed"), "speed[2, 0]"),
    ],
)
def test_places_in_members(place, member):
    assert member_at(2, place, 6) == member
