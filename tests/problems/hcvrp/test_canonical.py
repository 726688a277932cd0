import numpy as np

from geopar.problems import HCVRP
from geopar.problems.hcvrp.canonical import canonical


def test_the_longest_trip_comes_first_and_starts_at_its_far_end():
    line = HCVRP(
        depot=(0, 0),
        customers=[(1, 0), (2, 0), (3, 0), (4, 0)],
        demand=[1, 1, 1, 1],
        capacity=[2, 2],
        speed=[1, 1],
    )
    trips = [np.array([0, 1]), np.array([2, 3])]
    assert [trip.tolist() for trip in canonical(line, trips)] == [[3, 2], [1, 0]]
