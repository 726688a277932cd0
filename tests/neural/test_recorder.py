import torch

from geopar.neural.recorder import Recorder, routes_of
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.batch import make_batch

ROAD = HCVRP((0, 0), [(1, 0), (4, 0), (0, 2)], [1, 1, 1], capacity=[2, 2], speed=[1, 1])
# Two customers, the depot, the third; the other vehicle waits, and then both stay.
ACTIONS = torch.tensor([[1, 3], [0, 3], [3, 4], [2, 4], [4, 4]])


def test_trips_end_at_home_and_who_stays_or_waits_does_nothing():
    recorder = Recorder(make_batch([ROAD]))
    for action in ACTIONS:
        recorder.add(action[None, None])
    assert recorder.routes(0) == [[[1, 0], [2]], []]
    (plan,) = recorder.plans([ROAD])
    assert [len(route.trips) for route in plan.routes] == [2, 0]


def test_trips_that_are_put_together_are_driven_in_their_sequence():
    found = routes_of(ACTIONS.numpy(), make_batch([ROAD]), 0, inserts=True)
    # The nearer customer was put before the farther one.
    assert found == [[[0, 1], [2]], []]


def test_open_routes_are_one_trip():
    problem = OMDCPDP([(0, 1)], [(1, 0)], [(0, 0), (5, 5)], capacity=[1, 1])
    actions = torch.tensor([[0, 2], [3, 2], [1, 2]])
    found = routes_of(actions.numpy(), make_batch([problem]), 0, inserts=False)
    assert found == [[[0, 1]], []]


def test_nothing_done_is_no_route():
    assert Recorder(make_batch([ROAD])).routes(0) == []
