import math

import numpy as np
import pytest

from geopar.compiled.jit import compiled
from geopar.search.omdcpdp import ends as module
from geopar.search.omdcpdp.ends import no_ends, place_end, soonest_of_many


@compiled(allocates=True)
def move(ends, free, v, x, y):
    place_end(ends, free, v, x, y)


@compiled(allocates=True)
def find(ends, free, places, last, x, y, limit):
    return soonest_of_many(ends, free, places, last, x, y, limit)


@pytest.mark.parametrize("spread", [1.0, 0.0], ids=["anywhere", "all in one place"])
def test_the_soonest_is_found_while_vehicles_move_on(spread, monkeypatch):
    monkeypatch.setattr(module, "MANY_VEHICLES", 10)
    rng = np.random.default_rng(1)
    places = np.zeros((400, 3))
    places[:, :2] = spread * rng.random((400, 2)) - 0.5
    vehicles = 60
    ends = no_ends(places[:, :2], vehicles)
    assert len(ends.soonest) > 4
    free, last = np.zeros(vehicles), np.arange(vehicles, dtype=np.uint32)
    for v in range(vehicles):
        move(ends, free, v, *places[last[v], :2])
    for turn in range(300):
        x, y = rng.random(2) - 0.5
        limit = rng.choice([0.2, 1.0, math.inf])
        arrivals = free + np.hypot(places[last, 0] - x, places[last, 1] - y)
        moment, vehicle = find(ends, free, places, last, x, y, limit)
        assert moment == pytest.approx(min(limit, arrivals.min()))
        if vehicle >= 0:
            assert arrivals[vehicle] == pytest.approx(moment)
        else:
            assert arrivals.min() >= limit
        v = int(rng.integers(vehicles))
        last[v], free[v] = rng.integers(400), math.inf if turn % 50 == 49 else rng.random()
        move(ends, free, v, *places[last[v], :2])


def test_few_vehicles_have_no_tree():
    assert len(no_ends(np.zeros((3, 2)), module.MANY_VEHICLES).soonest) == 0
