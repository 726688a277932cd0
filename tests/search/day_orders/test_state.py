"""Linked routes against lists of Python, their numbers against a judge, and an exact undo."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import instances
from geopar.compiled.jit import compiled
from geopar.problems.day import GOALS, Day
from geopar.search import day_orders as search
from geopar.search.day_orders.data import MAKESPAN, NOBODY
from geopar.search.day_orders.state import (
    AFTER,
    BEGIN,
    BEST,
    CURRENT,
    DIRTY,
    HOLD,
    LATEST,
    OUTSIDE,
    RIGID,
    SCALE,
    TOUCHED,
    cost_of_finish,
    in_window,
    keep,
    put,
    record_best,
    refresh,
    refresh_all,
    take_note,
    touch,
    undo,
    unlink,
    weigh,
    worth,
)
from geopar.search.omdcpdp.state import delivery_of
from order_days import _drive, judge
from order_plans import PARTS, contents, forced, mixed_days, next_iteration, numbers, tours_of
from search_plans import random_routes

# What is told or forbidden is nobody's who is put where he is put.
FREE = tuple(p for p in PARTS if p not in ("locked", "on_board", "allowed", "most_trips"))


@compiled(allocates=True)
def change(data, state, moves):
    """Move orders behind other stops, both ends at once or the delivery last, or out."""
    for i in range(len(moves)):
        order, behind, late = np.uint32(moves[i, 0]), moves[i, 1], moves[i, 2]
        delivery = delivery_of(data, order)
        if state.vehicle[order] >= 0:
            touch(data, state, np.int64(state.vehicle[order]))
            unlink(state, order)
            unlink(state, delivery)
        state.removed[i] = order
        if behind >= 0 and state.vehicle[behind] >= 0:
            v = np.int64(state.vehicle[behind])
            touch(data, state, v)
            put(state, v, np.uint32(behind), order)
            after = order
            while late and state.following[after] != len(state.stops) - 1:
                after = state.following[after]
            put(state, v, after, delivery)
    for i in range(state.counter[TOUCHED]):
        refresh(data, state, state.touched[i])
        weigh(data, state, state.touched[i])


@compiled(allocates=True)
def finish(data, state, number, kept, best):
    """Keep a change, also as the best plan, or undo it."""
    if kept:
        take_note(data, state, number)
        keep(state)
        if best:
            record_best(data, state)
    else:
        undo(data, state)


@compiled(allocates=True)
def asked(data, state, s, time):
    return (
        worth(data, state),
        cost_of_finish(data, state, time),
        in_window(data, np.uint32(s), time),
    )


@compiled(allocates=True)
def summed_up(data, state):
    refresh_all(data, state)


@st.composite
def changes(draw):
    """A state with a plan, and moves of some of its orders, each at most once."""
    problem = draw(mixed_days())
    data = search.prepare(problem)
    state = search.initial(data, draw(st.integers(0, 9)))
    stops = 2 * data.orders + problem.num_vehicles
    may = np.flatnonzero(data.home != NOBODY).tolist()
    some = draw(st.lists(st.sampled_from(may), unique=True)) if may else []
    moves = []
    for order in some:
        others = [s for s in range(stops) if s >= 2 * data.orders or s % data.orders != order]
        moves.append((order, draw(st.sampled_from([-1, *others])), draw(st.integers(0, 1))))
    return data, state, np.array(moves, dtype=np.int64).reshape(-1, 3)


def moved(data, tours, moves):
    """What the moves do to lists."""
    tours = [list(tour) for tour in tours]
    for order, behind, late in moves.tolist():
        for tour in tours:
            tour[:] = [task for task in tour if task % data.orders != order]
        for v, tour in enumerate(tours):
            at = -1
            if behind == 2 * data.orders + v:
                at = 0
            elif behind in tour:
                at = tour.index(behind) + 1
            if at >= 0:
                tour.insert(at, order)
                tour.insert(len(tour) if late else at + 1, order + data.orders)
    return tours


@given(changes())
def test_a_change_that_is_kept_does_what_it_does_to_lists_and_every_number_is_true(case):
    data, state, moves = case
    expected = moved(data, tours_of(data, state), moves)
    next_iteration(state)
    change(data, state, moves)
    assert tours_of(data, state) == expected
    # From nothing everything is the same, if it can be driven; who cannot says no more than that.
    other, fits = forced(data, expected, state.value[SCALE])
    if all(fits):
        assert numbers(data, state) == numbers(data, other)
    finish(data, state, len(moves), True, all(fits))
    listed = state.absent[: state.counter[OUTSIDE]].tolist()
    out = [o for o in range(data.orders) if state.vehicle[o] < 0 and data.home[o] != NOBODY]
    assert sorted(listed) == out
    assert [int(state.seat[order]) for order in listed] == list(range(len(listed)))
    assert (state.seat >= 0).sum() == len(listed)
    if all(fits):
        assert [tour.tolist() for tour in search.best_routes(data, state)] == expected
        assert state.counter[DIRTY] == 0


@given(changes())
def test_a_change_that_is_undone_leaves_not_a_bit_changed(case):
    data, state, moves = case
    before, tours = contents(data, state), tours_of(data, state)
    next_iteration(state)
    change(data, state, moves)
    if moved(data, tours, moves) != tours:
        assert contents(data, state) != before
    finish(data, state, len(moves), False, False)
    assert contents(data, state) == before


@given(changes(), st.data())
def test_the_best_plan_stays_what_it_was_until_there_is_another(case, draw):
    data, state, moves = case
    best = [tour.tolist() for tour in search.best_routes(data, state)]
    cut = draw.draw(st.integers(0, len(moves)))
    for part, is_best in ((moves[:cut], False), (moves[cut:], True)):
        next_iteration(state)
        change(data, state, part)
        assert [tour.tolist() for tour in search.best_routes(data, state)] == best
        finish(data, state, len(part), True, is_best)
    assert [tour.tolist() for tour in search.best_routes(data, state)] == tours_of(data, state)


@settings(max_examples=150)
@given(mixed_days(FREE), st.integers(0, 99))
def test_a_route_can_be_driven_exactly_if_the_judge_says_so_and_amounts_to_the_same(problem, seed):
    data = search.prepare(problem)
    roomy = problem.replace(day=None, capacity=np.full(problem.num_vehicles, problem.num_orders))
    tours = [route.tolist() for route in random_routes(roomy, seed)]
    state, fits = forced(data, tours)
    for v, tour in enumerate(tours):
        alone = [np.array(t if w == v else [], dtype=np.int64) for w, t in enumerate(tours)]
        try:
            total = judge(problem, alone).total
        except AssertionError:
            assert not fits[v]
            continue
        assert fits[v]
        for goal, value in zip(GOALS, state.total[v], strict=False):
            assert value == pytest.approx(total[goal], abs=1e-6), goal
        if tour:
            first = data.ready[v]
            begins, _, _ = _drive(problem, v, tour, first)
            assert state.stops[tour, BEGIN] == pytest.approx(begins, abs=1e-7)
            leaves = state.stops[2 * data.orders + v, HOLD]
            if problem.goal != "arrivals":
                assert _drive(problem, v, tour, leaves - 1e-7)[1] <= begins_finish(
                    problem, v, tour, first
                )
        expected = total[problem.goal]
        if problem.goal == "makespan":
            expected = max(0.0, expected) ** (2**data.settings.sharpness)
        weights = [data.weight[g] * state.total[v, g] for g in range(4) if g != data.goal]
        assert state.cost[v] == pytest.approx(expected + sum(weights), rel=1e-5, abs=1e-6)


def begins_finish(problem, v, tour, first) -> float:
    return _drive(problem, v, tour, first)[1] + 1e-6


@given(mixed_days(FREE), st.integers(0, 99))
def test_the_latest_moment_is_the_last_after_which_the_rest_is_in_time(problem, seed):
    data = search.prepare(problem)
    roomy = problem.replace(day=None, capacity=np.full(problem.num_vehicles, problem.num_orders))
    tours = [route.tolist() for route in random_routes(roomy, seed)]
    state, fits = forced(data, tours)
    for v, tour in enumerate(tours):
        if not fits[v]:
            continue
        for i, s in enumerate(tour):
            soonest, bound, after, rigid = state.stops[s, [BEGIN, LATEST, AFTER, RIGID]].tolist()
            assert after == sum(task >= data.orders for task in tour[i + 1 :])
            done, begins = finish_from(problem, data, v, tour[i:], soonest)
            some = min(bound, soonest + 100.0)
            assert some >= soonest - 1e-7
            assert finish_from(problem, data, v, tour[i:], some - 1e-8)[0] <= data.due[v] + 1e-6
            if bound < math.inf:
                late, _ = finish_from(problem, data, v, tour[i:], bound + 1e-5)
                assert late > data.due[v] - 1e-9 or late == math.inf
            if 1e-6 < rigid < math.inf:
                # All that follows moves by as much.
                later, then = finish_from(problem, data, v, tour[i:], soonest + rigid - 1e-7)
                shift = rigid - 1e-7
                if later < math.inf:
                    assert then == pytest.approx([b + shift for b in begins], abs=1e-6)
                    assert later == pytest.approx(done + shift, abs=1e-6)


def finish_from(problem, data, v, rest, moment) -> tuple[float, list[float]]:
    """When a vehicle is done that begins the first of these stops not before a moment."""
    begins: list[float] = []
    for i, s in enumerate(rest):
        if i:
            way = float(problem.travel.duration(v, np.array(rest[i - 1]), np.array(s)))
            moment += float(data.place[rest[i - 1], 5]) + way
        day = problem.day
        if day.released is not None and s < data.orders:
            moment = max(moment, float(day.released[s]))
        if day.windows is not None:
            some = slice(day.windows.offset[s], day.windows.offset[s + 1])
            pairs = list(zip(day.windows.opens[some], day.windows.closes[some], strict=True))
            moment = min((max(moment, a) for a, b in pairs if moment <= b + 1e-8),
                         default=math.inf if pairs else moment)  # fmt: skip
        begins.append(moment)
    return moment + float(data.place[rest[-1], 5]), begins


@given(mixed_days(), st.integers(0, 9))
def test_summed_up_anew_nothing_changes(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    before = numbers(data, state)
    state.value[CURRENT] += 7.0
    summed_up(data, state)
    assert numbers(data, state) == before
    assert state.value[CURRENT] == pytest.approx(state.cost.sum())


@given(st.floats(0.1, 9), st.floats(-1, 20))
def test_a_finish_counts_little_unless_it_is_late(scale, time):
    data = search.prepare(instances.corridor().replace(day=Day(minimise="makespan")))
    state = search.initial(data, 0)
    state.value[SCALE] = scale
    _, cost, _ = asked(data, state, 0, time)
    assert cost == pytest.approx(scale * (max(0.0, time) / scale) ** 16)


def test_a_plan_is_worth_its_last_finish_and_then_the_sum():
    data = search.prepare(instances.corridor().replace(day=Day(minimise="makespan")))
    state = search.initial(data, 0)
    worth_now, _, _ = asked(data, state, 0, 0.0)
    last = state.total[:, MAKESPAN].max()
    assert last < worth_now == pytest.approx(last, rel=1e-4) == state.value[BEST]
    data = search.prepare(instances.corridor().replace(day=Day(minimise="distance")))
    state = search.initial(data, 0)
    assert asked(data, state, 0, 0.0)[0] == state.value[CURRENT]


def test_how_long_a_window_lasts_that_others_follow():
    day = Day(windows=[[(1, 2), (4, 6), (8, 9)], [], [], [], [], []])
    data = search.prepare(instances.corridor().replace(day=day))
    state = search.initial(data, 0)
    left = [asked(data, state, 0, time)[2] for time in (1.0, 1.5, 4.0, 5.5)]
    assert left == pytest.approx([1.0, 0.5, 2.0, 0.5])
    assert asked(data, state, 0, 8.5)[2] == math.inf
    assert asked(data, state, 1, 8.5)[2] == math.inf
