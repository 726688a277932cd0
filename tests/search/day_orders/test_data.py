"""What the search knows of a problem, against the problem itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import instances
from geopar.problems.day import GOALS, Day, windows_of
from geopar.search import day_orders as search
from geopar.search.day_orders.data import (
    ANYBODY,
    CLOSES,
    GAPS,
    NOBODY,
    OPENS,
    SERVICE,
    SHUT,
)
from order_days import judge
from order_plans import mixed_days


@settings(max_examples=100)
@given(mixed_days())
def test_windows_and_gaps_are_those_of_the_day_from_the_release_on(problem):
    data, day = search.prepare(problem), problem.day
    aboard = {order for some in day.on_board or () for order in some}
    for task in range(problem.num_tasks):
        place = data.place[task]
        windows = [] if day.windows is None else windows_of(day.windows, task)
        windows = windows or [(-np.inf, np.inf)]
        if day.released is not None and task < data.orders:
            after = float(day.released[task])
            windows = [(max(a, after), b) for a, b in windows if b >= after]
        service = 0.0 if day.service is None else day.service[task]
        if task in aboard:
            windows, service = [(-np.inf, np.inf)], 0.0
        assert place[SERVICE] == service
        if not windows:
            assert place[OPENS] == np.inf
            assert data.home[task % data.orders] == NOBODY
            continue
        assert place[OPENS] == windows[0][0]
        # For what is put before a stop it is a little stricter than for whoever comes.
        assert windows[-1][1] <= place[SHUT] <= place[CLOSES]
        assert place[CLOSES] == pytest.approx(windows[-1][1], rel=2e-9, abs=2e-9)
        some = slice(data.gap[task], data.gap[task + 1])
        assert place[GAPS] == len(windows) - 1 == some.stop - some.start
        assert data.gap_begins[some] == pytest.approx([b for _, b in windows[:-1]])
        assert data.gap_ends[some].tolist() == [a for a, _ in windows[1:]]


@given(mixed_days())
def test_loads_shifts_and_who_may_are_those_of_the_day(problem):
    data, day, m = search.prepare(problem), problem.day, problem.num_vehicles
    size = np.ones(data.orders) if day.size is None else day.size
    assert data.size[:, 0].tolist() == size.tolist()
    assert data.capacity[:, 0] == pytest.approx(problem.capacity)
    if day.extra_demand is not None:
        assert data.size[:, 1:].tolist() == day.extra_demand.tolist()
        assert data.capacity[:, 1:] == pytest.approx(day.extra_capacity)
    shifts = np.tile([0.0, np.inf], (m, 1)) if day.available is None else day.available
    assert data.ready.tolist() == shifts[:, 0].tolist()
    assert (data.due >= shifts[:, 1]).all()
    assert data.due == pytest.approx(shifts[:, 1], rel=2e-9, abs=2e-9)
    assert data.dawn == shifts[:, 0].min()
    longest = np.full(m, np.inf) if day.longest is None else day.longest
    assert data.longest == pytest.approx(longest, rel=2e-9, abs=2e-9)
    may = np.ones((data.orders, m), dtype=bool) if day.allowed is None else day.allowed
    if day.most_trips is not None:
        may = may & (day.most_trips >= 1)
    assert (np.broadcast_to(data.allowed, may.shape) == may).all()


@given(mixed_days())
def test_what_is_told_has_its_rank_and_its_vehicle_and_is_the_most_important(problem):
    data, day = search.prepare(problem), problem.day
    everybody = np.full(data.orders, ANYBODY)
    ranks = np.full(len(data.rank), -1)
    for v in range(problem.num_vehicles):
        told = [task for trip in (day.locked or [()] * 9)[v] for task in trip]
        told = [o for o in (day.on_board or [()] * 9)[v] if o not in told] + told
        for i, task in enumerate(told):
            ranks[task] = i
            if task < data.orders:
                everybody[task] = v
    assert data.rank.tolist() == ranks.tolist()
    possible = data.home != NOBODY
    assert data.home[possible].tolist() == everybody[possible].tolist()
    mine, free = data.priority[data.home >= 0], data.priority[data.home < 0]
    if len(mine) and len(free):
        assert mine.min() > free.sum()


def test_a_delivery_that_is_told_without_its_pickup_is_nobodys():
    alone, backwards = (
        search.prepare(instances.corridor().replace(day=Day(locked=[[stops], []])))
        for stops in ([3], [4, 1])
    )
    assert alone.home.tolist() == [NOBODY, ANYBODY, ANYBODY]
    assert backwards.home.tolist() == [ANYBODY, NOBODY, ANYBODY]


@pytest.mark.parametrize("goal", GOALS)
def test_the_goal_counts_and_the_others_break_ties(goal):
    data = search.prepare(instances.mixed_load().replace(day=Day(minimise=goal)))
    assert data.weight[data.goal] == 1.0
    assert (np.delete(data.weight, data.goal) < 1e-4).all()
    assert (data.weight > 0).all()


@given(mixed_days(), st.integers(0, 9))
def test_leaving_out_anything_is_dearer_than_what_the_first_plan_costs(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    total = judge(problem, search.best_routes(data, state)).total[problem.goal]
    priority = np.ones(data.orders) if problem.day.priority is None else problem.day.priority
    # Where windows do not make it wait: waiting is nobody's way.
    if problem.day.windows is None and problem.day.released is None:
        assert total <= data.dear * priority.min()


def test_one_table_is_not_copied():
    table = np.ones((8, 8))
    day = Day(matrices={"van": table})
    data = search.prepare(instances.corridor().replace(day=day))
    assert np.shares_memory(data.durations, day.matrices["van"].durations)
    assert not data.straight
