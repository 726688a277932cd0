"""When a vehicle is where: ways by the problem, moments by a scan of all of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.compiled.jit import compiled
from geopar.problems.day import Day
from geopar.search import day_orders as search
from geopar.search.day_orders.timing import earliest, latest, length, travel
from order_days import order_days

QUARTER = 0.25


@compiled(allocates=True)
def travelled(data, v, stops, durations, distances):
    for a in range(stops):
        for b in range(stops):
            durations[a, b] = travel(data, v, np.uint32(a), np.uint32(b))
            distances[a, b] = length(data, v, np.uint32(a), np.uint32(b))


@compiled(allocates=True)
def moments(data, s, time):
    return earliest(data, np.uint32(s), time), latest(data, np.uint32(s), time)


@given(order_days())
def test_ways_are_those_of_the_problem_and_what_is_on_board_is_at_the_start(problem):
    data, stops = search.prepare(problem), problem.num_tasks + problem.num_vehicles
    where = np.arange(stops)
    for v, aboard in enumerate(problem.day.on_board or ()):
        where[list(aboard)] = problem.homes[v]
    i, j = np.meshgrid(where, where, indexing="ij")
    for v in range(problem.num_vehicles):
        durations, distances = np.zeros((2, stops, stops))
        travelled(data, v, stops, durations, distances)
        np.testing.assert_allclose(durations, problem.travel.duration(v, i, j), atol=1e-12)
        np.testing.assert_allclose(distances, problem.travel.distance(i, j, v), atol=1e-12)


_quarters = st.integers(0, 40).map(lambda k: k * QUARTER)
_spans = st.tuples(_quarters, _quarters).map(lambda pair: tuple(sorted(pair)))


@given(
    st.lists(st.lists(_spans, max_size=3), min_size=6, max_size=6),
    st.lists(st.one_of(st.just(-1e12), _quarters), min_size=3, max_size=3),
    st.integers(-8, 48),
)
def test_the_first_and_the_last_moment_inside_of_windows_by_a_scan(windows, released, now):
    day = Day(windows=windows, released=[*released, *[-1e12] * 3])
    data = search.prepare(instances.corridor().replace(day=day))
    moment = now * QUARTER
    scan = np.arange(-10, 60) * QUARTER
    for s, mine in enumerate(windows):
        after = released[s] if s < 3 else -math.inf
        fine = np.array(
            [t >= after and (not mine or any(a <= t <= b for a, b in mine)) for t in scan.tolist()]
        )
        soonest, until = scan[fine & (scan >= moment)], scan[fine & (scan <= moment)]
        first, last = moments(data, s, moment)
        if len(soonest):
            assert first == pytest.approx(soonest[0], abs=1e-8)
        else:
            assert first == math.inf
        if len(until):
            assert last == pytest.approx(until[-1], abs=1e-8)
        elif fine.any():
            # Before the first window it is the first one.
            assert last == pytest.approx(scan[fine][0], abs=1e-8)


def test_rounding_neither_loses_a_window_nor_runs_over_its_end():
    day = Day(windows=[[(1, 2), (4, 6)], [], [], [], [], []])
    data = search.prepare(instances.corridor().replace(day=day))
    hair = 1e-10
    assert moments(data, 0, 2.0 + hair)[0] == 2.0 + hair
    assert moments(data, 0, 2.0 + 1e-6)[0] == 4.0
    assert moments(data, 0, 6.0 + hair)[0] == 6.0 + hair
    assert moments(data, 0, 6.0 + 1e-6)[0] == math.inf
    assert moments(data, 0, 4.0 - hair)[1] == 4.0 - hair
    assert moments(data, 0, 4.0 - 1e-6)[1] == pytest.approx(2.0)
