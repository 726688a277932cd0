"""Delivering the nearest first: what it must cost, and that compiled loops agree."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.model.deliveries import deliver_nearest
from geopar.model.delivery_kernel import deliver_nearest as compiled_nearest
from geopar.search.compiled import compiled

places = st.lists(st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), max_size=5)


@compiled
def by_kernel(x, y, time, xs, ys, count):
    return compiled_nearest(x, y, time, xs, ys, count)


def delivered(listed, begin=(0.0, 0.0), time=0.0, waiting=None):
    there = torch.tensor(listed, dtype=torch.float32).view(-1, 2)
    waits = torch.ones(len(there), dtype=torch.bool) if waiting is None else torch.tensor(waiting)
    arrivals, end = deliver_nearest(torch.tensor(begin), torch.tensor(time), there, waits)
    return float(arrivals), float(end)


def test_on_a_line_the_nearest_comes_first():
    # 1, 2 and 4 ahead, begun at half past.
    assert delivered([(4.0, 0.0), (1.0, 0.0), (2.0, 0.0)], time=0.5) == (1.5 + 2.5 + 4.5, 4.5)


def test_nothing_to_deliver_takes_no_time():
    assert delivered([(1.0, 0.0)], time=2.0, waiting=[False]) == (0.0, 2.0)


def test_what_does_not_wait_is_passed_by():
    assert delivered([(1.0, 0.0), (0.0, 3.0)], waiting=[False, True]) == (3.0, 3.0)


@given(listed=places)
def test_no_order_of_deliveries_is_better_than_the_best(listed):
    arrivals, _ = delivered(listed)
    best = np.inf
    for order in itertools.permutations(listed):
        stops = np.array([(0.0, 0.0), *order])
        legs = np.linalg.norm(np.diff(stops, axis=0), axis=1)
        best = min(best, float(np.cumsum(legs).sum()))
    assert arrivals >= best - 1e-5
    if len(listed) == 1:
        assert arrivals == pytest.approx(best, abs=1e-6)


@given(listed=places, time=st.floats(0, 5, width=32))
def test_compiled_loops_do_the_same(listed, time):
    xs, ys = np.array(listed, dtype=np.float32).reshape(-1, 2).T.copy()
    x = np.float32(0.25)
    found = by_kernel(x, x, float(time), xs, ys, len(listed))
    assert found == pytest.approx(delivered(listed, (0.25, 0.25), time), rel=1e-5, abs=1e-5)
