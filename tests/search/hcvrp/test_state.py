import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.compiled.jit import compiled
from geopar.plan import flatten
from geopar.problems import HCVRP
from geopar.search.hcvrp import best_routes, from_routes, prepare
from geopar.search.hcvrp.audit import largest_discrepancy
from geopar.search.hcvrp.data import CAPACITY, SPEED
from geopar.search.hcvrp.state import (
    AFTER,
    BEFORE,
    BEST,
    COST,
    DRIVEN,
    FIRST,
    FREE,
    HEAD,
    HORIZON,
    LAST,
    LEG,
    LENGTH,
    MAKESPAN,
    NEXT,
    OPEN_TRIPS,
    OWNER,
    PREVIOUS,
    ROOM,
    SHARPNESS,
    SIZE,
    TOUCHED_VEHICLES,
    TRIP,
    TRIPS,
    WEIGHT,
    State,
    accept,
    begin,
    give,
    link,
    open_trip,
    reject,
    reweigh,
    reweigh_all,
    room_with,
    save_best,
    unlink,
    update_makespan,
)
from search_plans import hcvrp_at_random, length_of, trips_of
from strategies import hcvrps


@compiled(allocates=True)
def weigh(data, state, sharpness):
    state.totals[HORIZON] = state.totals[BEST] if state.totals[BEST] > 0.0 else 1.0
    state.totals[SHARPNESS] = sharpness
    reweigh_all(data, state)


@compiled(allocates=True)
def change(data, state, moves):
    """Move customers after others, or to a new trip of some vehicle."""
    begin(state)
    for i in range(len(moves)):
        c, after, v = moves[i, 0], moves[i, 1], moves[i, 2]
        unlink(data, state, c)
        if after >= 0:
            link(data, state, c, np.int64(state.customer[after, TRIP]), after)
        else:
            link(data, state, c, open_trip(data, state, v), len(data.near))
    for i in range(state.counters[TOUCHED_VEHICLES]):
        reweigh(data, state, np.int64(state.lists[TOUCHED_VEHICLES, i]))


@compiled(allocates=True)
def hand_over(data, state, t, v):
    begin(state)
    give(data, state, t, v)
    for i in range(state.counters[TOUCHED_VEHICLES]):
        reweigh(data, state, np.int64(state.lists[TOUCHED_VEHICLES, i]))


@compiled(allocates=True)
def put_back(state):
    reject(state)


@compiled(allocates=True)
def keep(data, state):
    accept(data, state)
    update_makespan(data, state)
    save_best(state)


@compiled(allocates=True)
def room_in(data, state, t, v):
    return room_with(data, state, t, v)


def contents(state: State) -> list[list]:
    """All that a plan consists of, without the copies for the undo; of trips those in use."""
    used = state.trip[:, OWNER] >= 0
    return [
        state.customer[:, [NEXT, PREVIOUS, TRIP]].tolist(),
        state.leg[:, LEG].tolist(),
        np.flatnonzero(used).tolist(),
        state.trip[used][:, [FIRST, LAST, SIZE, OWNER, AFTER, BEFORE]].tolist(),
        state.amount[used][:, [ROOM, LENGTH]].tolist(),
        state.vehicle[:, [HEAD, TRIPS]].tolist(),
        state.drive[:, [DRIVEN, WEIGHT]].tolist(),
        state.lists[FREE, : state.counters[FREE]].tolist(),
        state.counters[[FREE, OPEN_TRIPS]].tolist(),
        state.totals[[COST, MAKESPAN, BEST]].tolist(),
    ]


def roomy(problem: HCVRP) -> HCVRP:
    """As it was, but any trip fits any vehicle."""
    return problem.replace(capacity=np.full(problem.num_vehicles, problem.demand.sum() + 1))


@st.composite
def changes(draw):
    """A state with a random plan, and moves of some of its customers, each at most once."""
    problem = roomy(draw(hcvrps()))
    data, state = hcvrp_at_random(problem, draw(st.integers(0, 99)))
    weigh(data, state, 5.0)
    n, m = problem.num_tasks, problem.num_vehicles
    moves = []
    for c in draw(st.lists(st.integers(0, n - 1), unique=True, min_size=1)):
        after = draw(st.integers(-1, n - 1).filter(c.__ne__))
        moves.append((c, after, draw(st.integers(0, m - 1))))
    return data, state, np.array(moves)


def moved(trips, moves):
    """What the moves do to lists."""
    trips = [(v, list(tour)) for v, tour in trips]
    for c, after, v in moves.tolist():
        next(tour for _, tour in trips if c in tour).remove(c)
        if after < 0:
            trips.append((v, [c]))
        else:
            tour = next(tour for _, tour in trips if after in tour)
            tour.insert(tour.index(after) + 1, c)
    return sorted((v, tour) for v, tour in trips if tour)


@given(changes())
def test_an_accepted_change_does_what_it_does_to_lists_and_every_number_is_true(case):
    data, state, moves = case
    expected = moved(trips_of(data, state), moves)
    change(data, state, moves)
    assert trips_of(data, state) == expected
    for v in range(len(data.vehicle)):
        driven = sum(length_of(data, tour) for owner, tour in expected if owner == v)
        assert state.drive[v, DRIVEN] == pytest.approx(driven, abs=1e-9)
    keep(data, state)
    assert trips_of(data, state) == expected
    best = best_routes(data, state)
    assert sorted((v, t.tolist()) for v, trips in enumerate(best) for t in trips) == expected
    assert largest_discrepancy(data, state) < 1e-6


@given(changes())
def test_a_rejected_change_leaves_not_a_bit_changed(case):
    data, state, moves = case
    before, trips = contents(state), trips_of(data, state)
    change(data, state, moves)
    # Moves may also put everybody back where they were.
    if moved(trips, moves) != sorted(trips):
        assert contents(state) != before
    put_back(state)
    assert contents(state) == before


def pair() -> HCVRP:
    """Two customers on a line, a slow and a fast vehicle."""
    return HCVRP((0, 0), [(1, 0), (3, 0)], [2, 1], [3, 4], [1, 3])


def test_the_cost_weighs_times_by_speed():
    data = prepare(pair())
    state = from_routes(data, 0, flatten([[np.array([0])], [np.array([1])]]))
    weigh(data, state, 7.0)
    # Both are back after 2, and the mean speed of the search's own unit is 1.
    assert state.totals[MAKESPAN] * data.unit == pytest.approx(2.0)
    assert state.totals[COST] == pytest.approx(0.5 + 1.5)
    state.totals[BEST] *= 2
    weigh(data, state, 7.0)
    assert state.totals[COST] == pytest.approx(2.0 * math.exp(-3.5))


def test_a_trip_given_away_leaves_its_vehicle_exactly_idle():
    data = prepare(pair())
    state = from_routes(data, 0, flatten([[np.array([1, 0])], []]))
    weigh(data, state, 2.0)
    (t,) = np.flatnonzero(state.trip[:, OWNER] == 0)
    assert state.amount[t, ROOM] == pytest.approx(0.0, abs=1e-9)
    hand_over(data, state, int(t), 1)
    keep(data, state)
    assert trips_of(data, state) == [(1, [1, 0])]
    assert state.drive[0, DRIVEN] == 0.0
    assert state.totals[MAKESPAN] * data.unit == pytest.approx(6 / 3)
    assert largest_discrepancy(data, state) < 1e-9


def test_what_rounding_left_goes_when_the_last_trip_does():
    data = prepare(pair())
    state = from_routes(data, 0, flatten([[np.array([1, 0])], []]))
    weigh(data, state, 2.0)
    idle = state.drive[1, WEIGHT]
    (t,) = np.flatnonzero(state.trip[:, OWNER] == 0)
    # As much as would take years to pile up.
    state.drive[0, DRIVEN] += 0.25
    hand_over(data, state, int(t), 1)
    assert state.drive[0, DRIVEN] == pytest.approx(0.25)
    keep(data, state)
    assert state.drive[0, DRIVEN] == 0.0
    # So that the cost knows of it, too.
    assert state.drive[0, WEIGHT] / data.vehicle[0, SPEED] == pytest.approx(
        idle / data.vehicle[1, SPEED]
    )
    assert state.totals[COST] == pytest.approx(state.drive[:, WEIGHT].sum())


def test_what_rounding_left_in_a_trip_goes_with_its_last_customer():
    data = prepare(pair())
    state = from_routes(data, 0, flatten([[np.array([1, 0])], []]))
    weigh(data, state, 2.0)
    (t,) = np.flatnonzero(state.trip[:, OWNER] == 0)
    for numbers, column in ((state.amount[t], LENGTH), (state.amount[t], ROOM)):
        numbers[column] += 0.25
    state.drive[0, DRIVEN] += 0.25
    change(data, state, np.array([(0, -1, 1), (1, 0, 1)]))
    assert state.amount[t, LENGTH] == 0.0
    assert state.amount[t, ROOM] == data.vehicle[0, CAPACITY]
    # Before anything is accepted: what is tried next is weighed by it.
    assert state.drive[0, DRIVEN] == 0.0


def test_room_is_told_for_another_vehicle_even_where_it_was_rounded_away():
    data = prepare(pair().replace(demand=[2e-6, 9e11], capacity=[1e12, 3e-6]))
    state = from_routes(data, 0, flatten([[np.array([0]), np.array([1])], []]))
    slots = [int(state.customer[c, TRIP]) for c in (0, 1)]
    assert room_in(data, state, slots[0], 1) == pytest.approx(1e-6)
    assert room_in(data, state, slots[1], 1) < 0.0
    assert room_in(data, state, slots[0], 0) == pytest.approx(9e11)
