import numpy as np

from geopar.parts.piece import Flat, Place, joined
from geopar.plan import flatten, unflatten

ROUTES = [[np.array([5, 1]), np.array([0])], [], [np.array([3, 2, 4])]]
PLAN = Flat(*flatten(ROUTES))


def as_lists(plan: Flat, vehicles: int = 3) -> list[list[list[int]]]:
    return [[trip.tolist() for trip in trips] for trips in unflatten(*plan, vehicles)]


def test_what_is_taken_apart_can_be_joined() -> None:
    chosen = np.array([True, False, True])
    parts = [PLAN.some(chosen), PLAN.some(~chosen)]
    assert as_lists(parts[0]) == [[[5, 1]], [], [[3, 2, 4]]]
    assert sorted(map(str, as_lists(joined(parts))[0])) == ["[0]", "[5, 1]"]
    assert as_lists(joined(parts))[1:] == as_lists(PLAN)[1:]


def test_numbers_inside_and_outside() -> None:
    own = PLAN.some(np.array([True, False, True]))
    place = Place(np.array([1, 2, 3, 4, 5]), np.array([0, 2]))
    inside = place.inside(own)
    assert as_lists(inside, 2) == [[[4, 0]], [[2, 1, 3]]]
    assert as_lists(place.outside(inside)) == as_lists(own)
