"""What the search knows of a problem, against the problem itself."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import instances
from day_plans import at_random, days_by_goal, plan_of
from geopar.checking import check
from geopar.compiled.jit import compiled
from geopar.plan import Plan
from geopar.problems.day import Day, windows_of
from geopar.search import day as search
from geopar.search.day.data import (
    ABOARD,
    CAPACITY,
    CARRIER,
    CLOSES,
    DEMAND,
    FOLLOWED_BY,
    FROM,
    FROM_DEPOT,
    LOCKED,
    LONGEST,
    MOST_TRIPS,
    NEXT_TRIP,
    OPENS,
    PRIORITY,
    RELEASED,
    SERVICE,
    TO,
    WIDTH,
    distance,
    duration,
)


@compiled(allocates=True)
def travelled(data, v, rows, durations, distances):
    for i in range(-1, rows):
        for j in range(-1, rows):
            durations[i + 1, j + 1] = duration(data, v, i, j)
            distances[i + 1, j + 1] = distance(data, v, i, j)


@given(days_by_goal())
def test_ways_are_those_of_the_problem_and_nothing_to_and_from_nowhere(problem):
    data, places = search.prepare(problem), len(problem.places)
    rows = problem.matrix_rows if problem.day.matrices else np.arange(places)
    for v in range(problem.num_vehicles):
        durations, distances = np.zeros((2, places + 1, places + 1))
        travelled(data, v, places, durations, distances)
        for table in (durations, distances):
            assert not table[0].any()
            assert not table[:, 0].any()
        i, j = np.indices((places, places))
        one, other = rows[i] + 1, rows[j] + 1
        np.testing.assert_allclose(durations[one, other], problem.travel.duration(v, i, j))
        np.testing.assert_allclose(distances[one, other], problem.travel.distance(i, j, v))


def test_nothing_is_driven_from_a_place_to_itself_whatever_a_table_says():
    # The depot is left from the depot: two trips of three legs each.
    problem = instances.square().replace(
        day=Day(matrices={"van": np.full((5, 5), 2.0)}, minimise="distance")
    )
    data = search.prepare(problem)
    state = search.initial(data, 0)
    report = check(problem, Plan.from_indices(problem, search.best_routes(data, state)))
    assert search.best_goal(data, state) == report.objective == 12.0
    # The user's own table stays as it is, and one that is right is not copied.
    assert (problem.day.matrices["van"].durations == 2.0).all()
    right = 2.0 - 2.0 * np.eye(5)
    day = Day(matrices={"van": right})
    data = search.prepare(problem.replace(day=day))
    assert np.shares_memory(data.durations, day.matrices["van"].durations)


@given(days_by_goal())
def test_stops_and_shifts_are_those_of_the_day_a_hair_wider(problem):
    data, day, n = search.prepare(problem), problem.day, problem.num_tasks
    for c in range(n):
        stop = data.stop[c]
        windows = [] if day.windows is None else windows_of(day.windows, c)
        windows = windows or [(-np.inf, np.inf)]
        assert stop[OPENS] == windows[0][0]
        assert windows[-1][1] <= stop[CLOSES] == pytest.approx(windows[-1][1], rel=1e-9)
        assert stop[WIDTH] == pytest.approx(sum(b - a for a, b in windows))
        assert stop[SERVICE] == (0.0 if day.service is None else day.service[c])
        assert stop[RELEASED] == (-np.inf if day.released is None else day.released[c])
        assert stop[PRIORITY] == (1.0 if day.priority is None else day.priority[c])
        more = [] if day.extra_demand is None else day.extra_demand[c].tolist()
        assert stop[DEMAND:].tolist() == [problem.demand[c], *more]
        home = n if day.has_depot else int(problem.homes[0])
        far = float(problem.travel.distance(np.array(home), np.array(c)))
        assert stop[FROM_DEPOT] == pytest.approx(far)
    for v in range(problem.num_vehicles):
        shift = data.shift[v]
        begin, end = (0.0, np.inf) if day.available is None else day.available[v]
        longest = np.inf if day.longest is None else day.longest[v]
        assert shift[FROM] == begin
        assert end <= shift[TO] == pytest.approx(end, rel=1e-9)
        assert longest <= shift[LONGEST] == pytest.approx(longest, rel=1e-9)
        more = [] if day.extra_capacity is None else day.extra_capacity[v].tolist()
        assert shift[CAPACITY:] == pytest.approx([problem.capacity[v], *more], rel=1e-9)
        most = np.inf if day.most_trips is None else day.most_trips[v]
        most = most if day.has_depot else min(most, 1)
        assert data.fleet[v, MOST_TRIPS] == min(most, 1 << 30)
    assert data.several == any(
        len(windows_of(day.windows, c)) > 1 for c in range(n) if day.windows is not None
    )
    assert data.releases == (day.released is not None)
    limited = day.longest is not None and bool(np.isfinite(day.longest).any())
    assert data.duties == (limited or problem.goal == "duration")


@given(days_by_goal())
@example(instances.square().replace(day=Day(locked=[[[2], [0, 3], [1]], []])))
@example(instances.square().replace(day=Day(on_board=[[2], [0, 3]])))
def test_what_is_certain_can_be_read_back(problem):
    data, day = search.prepare(problem), problem.day
    for v in range(problem.num_vehicles):
        aboard = day.on_board[v] if day.on_board else ()
        told = [list(trip) for trip in day.locked[v]] if day.locked else []
        assert data.fleet[v, ABOARD] == len(aboard)
        mine = {*aboard, *(c for trip in told for c in trip)}
        assert set(np.flatnonzero(data.task[:-1, CARRIER] == v)) == mine
        trips, c = list[list[int]](), int(data.fleet[v, LOCKED])
        if c >= 0:
            trips.append([c])
        while c >= 0:
            following = int(data.task[c, FOLLOWED_BY])
            if following <= NEXT_TRIP:
                c = NEXT_TRIP - following
                trips.append([c])
            else:
                c = following
                trips[-1] += [c] if c >= 0 else []
        assert trips == told


@given(days_by_goal(), st.integers(0, 99))
def test_leaving_out_anybody_is_dearer_than_any_plan(problem, seed):
    data, state = at_random(problem, seed)
    routes = [[np.array(trip) for trip in trips] for trips in plan_of(data, state)]
    cost = check(problem, Plan.from_indices(problem, routes)).objective
    assert cost < data.dear * data.stop[:, PRIORITY].min()


def test_a_typical_leg_is_one():
    corners = instances.square().replace(day=Day(service=[0] * 4, minimise="distance"))
    data = search.prepare(corners.replace(speed=[2, 5]))
    # To two neighbours and to the one across.
    mean = (2 * np.sqrt(2) + 2) / 3
    assert data.per_length == pytest.approx(1 / mean)
    assert data.per_time == pytest.approx(2 / mean)
    together = instances.HCVRP((0, 0), [(1, 1)] * 3, [1] * 3, [3], [1])
    data = search.prepare(together.replace(day=Day(service=[0] * 3)))
    assert data.per_length == data.per_time == 1.0
