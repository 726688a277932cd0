import numpy as np
import pytest
from hypothesis import given

from geopar.checking import check
from geopar.peers.classical.decode import normalised
from geopar.peers.classical.linked import copy_trips, empty_trips, linked, to_routes
from strategies import hcvrps, problems_with_plans


@given(pair=problems_with_plans(hcvrps()))
def test_there_and_back(pair):
    problem, plan = pair
    instance, unit = normalised(problem)
    routes = plan.to_indices(problem)
    trips = linked(instance, routes)
    for before, after in zip(routes, to_routes(trips), strict=True):
        assert [trip.tolist() for trip in before] == [trip.tolist() for trip in after]
    assert trips.finish.max() * unit == pytest.approx(check(problem, plan).objective)
    sizes = [len(trip) for vehicle in routes for trip in vehicle]
    assert trips.size[: len(sizes)].tolist() == sizes
    assert trips.size.sum() == problem.num_tasks
    for t, customers in enumerate(trip for vehicle in routes for trip in vehicle):
        assert trips.load[t] == pytest.approx(problem.demand[customers].sum())


def test_copies_are_equal_and_apart(handful):
    instance, _ = normalised(handful)
    source = linked(instance, [[np.arange(5)], [np.arange(5, 9)], [np.arange(9, 12)]])
    target = empty_trips(12, 3)
    copy_trips(source, target)
    for ours, theirs in zip(source, target, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours is not theirs
