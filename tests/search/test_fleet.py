"""Who is free first, where everybody is, and decisions put into trips."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.search.fleet import (
    TOTAL,
    VISITS,
    Fleet,
    drive,
    go_home,
    idle_fleet,
    no_visits,
    note,
    trips_of,
    where,
)

PLACES = np.array([[3.0, 4.0], [0.0, 1.0]])
DEPOT = np.zeros(2)


# What is inlined has no life outside of compiled code.
@compiled(allocates=True)
def standing(fleet, v, places, x, y):
    return where(fleet, v, places, x, y)


@compiled(allocates=True)
def visit(fleet, visits, v, task):
    note(fleet, visits, v, task)


@compiled(allocates=True)
def home(fleet, v, places, depot, speed):
    go_home(fleet, v, places, depot, speed)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 9])
def test_at_first_the_first_in_the_list_begins(count):
    fleet = idle_fleet(count)
    assert fleet.first[1] == 0
    assert (fleet.at == -1).all()
    assert len(fleet.at) == len(fleet.load) == len(fleet.trip) == count
    # Those that are not there are never free.
    assert np.isinf(fleet.free[count:]).all()


@given(st.integers(1, 9), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 5)), max_size=40))
def test_the_root_of_the_tree_is_who_is_free_first(count, times):
    fleet, free = idle_fleet(count), [0.0] * count
    for v, time in times:
        drive(fleet, v % count, float(time))
        free[v % count] += time
        # Of several the one with the least number.
        assert fleet.first[1] == free.index(min(free))
    assert fleet.free[:count].tolist() == free


def test_where_vehicles_are():
    fleet = idle_fleet(2)
    fleet.at[1] = 0
    assert standing(fleet, 0, PLACES, 7.0, 8.0) == (7.0, 8.0)
    assert standing(fleet, 1, PLACES, 7.0, 8.0) == (3.0, 4.0)


def test_a_trip_ends_at_the_depot_empty():
    fleet = idle_fleet(2)
    fleet.at[1], fleet.load[1] = 0, 2.5
    home(fleet, 1, PLACES, DEPOT, 2.0)
    assert (fleet.at[1], fleet.load[1], fleet.trip.tolist()) == (-1, 0.0, [0, 1])
    assert fleet.free[:2].tolist() == [0.0, math.hypot(3, 4) / 2.0]
    assert fleet.first[1] == 0


def test_decisions_are_written_down_with_their_trip():
    fleet, visits = idle_fleet(2), no_visits(3)
    visit(fleet, visits, 1, 0)
    home(fleet, 1, PLACES, DEPOT, 1.0)
    visit(fleet, visits, 1, 1)
    assert visits.done[VISITS] == 2
    assert visits.task[:2].tolist() == [0, 1]
    assert visits.vehicle[:2].tolist() == [1, 1]
    assert visits.trip[:2].tolist() == [0, 1]
    assert fleet.at.tolist() == [-1, 1]
    assert visits.value[TOTAL] == 0.0


@given(st.integers(1, 5), st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=30))
def test_trips_in_the_order_of_decision(count, decided):
    visits, trip = no_visits(len(decided)), [0] * count
    expected: list[dict[int, list[int]]] = [{} for _ in range(count)]
    for task, (v, is_new) in enumerate(decided):
        v %= count
        trip[v] += is_new
        visits.task[task], visits.vehicle[task], visits.trip[task] = task, v, trip[v]
        expected[v].setdefault(trip[v], []).append(task)
    tasks, bounds, vehicle = trips_of(visits, count)
    found: list[list[list[int]]] = [[] for _ in range(count)]
    for v, begin, end in zip(vehicle, bounds[:-1], bounds[1:], strict=True):
        found[v].append(tasks[begin:end].tolist())
    assert found == [list(trips.values()) for trips in expected]


def test_a_fleet_is_a_tuple_of_arrays_that_compiled_code_takes():
    assert all(isinstance(part, np.ndarray) for part in idle_fleet(3))
    assert isinstance(idle_fleet(3), Fleet)
