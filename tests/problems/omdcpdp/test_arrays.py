import pytest

import instances
from geopar.errors import Place
from geopar.problems.omdcpdp.arrays import SHAPES, arrays_of, member_at, problem_at


@pytest.mark.parametrize("make", instances.OMDCPDPS)
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
        (Place("vehicle", 1, "start.y"), "depots[2, 1, 1]"),
        (Place("order", 1, "pickup.x"), "locs[2, 1, 0]"),
        (Place("order", 1, "delivery.lon"), "locs[2, 4, 0]"),
        (Place("vehicle", 0, "capacity"), "capacity[2, 0]"),
    ],
)
def test_places_in_members(place, member):
    assert member_at(2, place, 6) == member
