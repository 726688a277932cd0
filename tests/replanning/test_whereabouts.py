"""Where everybody is at a moment, against what the timetables say."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from days import days_under_way
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.day import Day
from geopar.replanning.mending import known_once
from geopar.replanning.whereabouts import Whereabouts, whereabouts
from geopar.schedule import schedule

few = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def at(problem: Problem, plan: Plan, now: float) -> list[Whereabouts]:
    return whereabouts(problem, known_once(problem, plan), now)


@few
@given(days_under_way())
def test_done_is_what_has_begun_by_then(case):
    problem, plan, now = case
    routes = known_once(problem, plan)
    for one, table in zip(whereabouts(problem, routes, now), schedule(problem, routes),
                          strict=True):  # fmt: skip
        if not table.trips or table.begin > now:
            assert (one.doing, one.done, one.begun) == ("not begun", (), None)
            continue
        begun = [
            v.task for v in table.visits if v.task is not None and v.arrival + v.waiting <= now
        ]
        assert list(one.done) == begun
        assert one.begun == table.begin
        assert (one.doing == "done") == (now >= table.finish)


@few
@given(days_under_way())
def test_nobody_is_free_in_the_past_or_in_the_middle_of_something(case):
    problem, plan, now = case
    routes = known_once(problem, plan)
    for one, table in zip(whereabouts(problem, routes, now), schedule(problem, routes),
                          strict=True):  # fmt: skip
        assert one.free >= now
        assert 0 <= one.place < len(problem.places)
        if one.doing in ("waiting", "done"):
            assert one.free == now
        ends = [(v.arrival + v.waiting, v.departure) for v in table.visits if v.task is not None]
        inside = [end for begin, end in ends if begin <= now < end]
        if inside:
            assert one.doing == "serving"
            assert one.free >= inside[0]


@few
@given(days_under_way(), st.floats(0.0, 1.0))
def test_as_time_goes_on_more_is_done_and_nothing_is_undone(case, share):
    problem, plan, now = case
    end = max((table.finish for table in schedule(problem, known_once(problem, plan))), default=0)
    later = now + share * max(0.0, end - now)
    for one, then in zip(at(problem, plan, now), at(problem, plan, later), strict=True):
        assert then.done[: len(one.done)] == one.done
        assert then.trips_made >= one.trips_made
        assert then.free >= one.free or one.doing == "serving"


@few
@given(days_under_way())
def test_what_is_on_board_is_not_done(case):
    problem, plan, now = case
    for v, one in enumerate(at(problem, plan, now)):
        done = set(one.done)
        if isinstance(problem, HCVRP):
            assert done.isdisjoint(one.aboard)
            assert done.isdisjoint(one.back)
            assert set(one.aboard).isdisjoint(one.back)
        else:
            told = problem.day.on_board[v] if problem.day and problem.day.on_board else ()
            orders = problem.num_orders
            fetched = {task for task in done if task < orders} | set(told)
            assert set(one.aboard) == fetched - {task - orders for task in done}
            assert one.back == ()


SQUARE = ([[0, 1]], [[3], [2]])
"""Red serves east and north; blue serves south, goes back, and serves west."""


@pytest.mark.parametrize(
    ("now", "red", "blue"),
    [
        (-1.0, ("not begun", 4, 0.0, (), ()), ("not begun", 4, 0.0, (), ())),
        (0.0, ("driving", 0, 1.0, (), (0, 1)), ("driving", 3, 1.0, (), (3,))),
        (1.0, ("driving", 1, 1 + 2**0.5, (0,), (1,)), ("driving", 4, 2.0, (3,), ())),
        (2.0, ("driving", 1, 1 + 2**0.5, (0,), (1,)), ("driving", 2, 3.0, (3,), (2,))),
        (3.0, ("driving", 4, 2 + 2**0.5, (0, 1), ()), ("driving", 4, 4.0, (3, 2), ())),
        (4.0, ("done", 4, 4.0, (0, 1), ()), ("done", 4, 4.0, (3, 2), ())),
    ],
)
def test_the_square_from_its_morning_to_its_evening(square: HCVRP, now, red, blue):
    plan = Plan.from_indices(square, SQUARE)
    for one, (doing, place, free, done, aboard) in zip(
        at(square, plan, now), (red, blue), strict=True
    ):
        assert (one.doing, one.place, one.done, one.aboard) == (doing, place, done, aboard)
        assert one.free == pytest.approx(free)


def test_trips_are_over_when_nothing_of_them_is_on_board(square: HCVRP):
    plan = Plan.from_indices(square, SQUARE)
    made = [[one.trips_made for one in at(square, plan, now)] for now in (0, 1, 2, 2.5, 3)]
    assert made == [[0, 0], [0, 1], [0, 1], [1, 1], [1, 2]]


def test_the_one_trip_of_a_courier_is_over_with_the_day(corridor: OMDCPDP):
    plan = Plan.from_indices(corridor, [[[0, 3, 1, 4]], [[2, 5]]])
    made = [[one.trips_made for one in at(corridor, plan, now)] for now in (0, 1, 2, 3, 9)]
    assert made == [[0, 0]] * 5


def test_who_has_no_trip_has_not_begun(square: HCVRP):
    shift = square.replace(day=Day(available=[(0, 9), (3, 9)]))
    plan = Plan.from_indices(shift, [[[0, 1, 2, 3]], []])
    free = [at(shift, plan, now)[1].free for now in (1.0, 5.0)]
    assert free == [3.0, 5.0]
    assert {at(shift, plan, now)[1].doing for now in (1.0, 5.0, 20.0)} == {"not begun"}


def test_last_place_is_where_it_was_for_certain(square: HCVRP):
    plan = Plan.from_indices(square, SQUARE)
    red = [at(square, plan, now)[0].last_place for now in (0.5, 1.5, 3.0, 9.0)]
    assert red == [4, 0, 1, 4]


@pytest.fixture
def slow(square: HCVRP) -> HCVRP:
    """Half an hour at each stop, two to load; north is open from five on, west had from three."""
    day = Day(service=[0.5] * 4, loading=2.0, windows=[[], [(5, 9)], [], []], released=[0, 0, 3, 0])
    return square.replace(day=day)


@pytest.mark.parametrize(
    ("now", "doing", "place", "free", "done"),
    [
        (0.0, "loading", 4, 2.0, ()),
        (1.9, "loading", 4, 2.0, ()),
        (2.0, "driving", 0, 3.0, ()),
        (3.0, "serving", 0, 3.5, (0,)),
        (3.5, "driving", 1, 3.5 + 2**0.5, (0,)),
        (4.95, "waiting", 1, 4.95, (0,)),
    ],
)
def test_loading_serving_and_waiting(slow: HCVRP, now, doing, place, free, done):
    day = slow.day
    assert day is not None
    # Under way as early as can be: time on duty does not count, and east could not be later.
    tight = slow.replace(day=day.replace(windows=[[(0, 3)], [(5, 9)], [], []]))
    one = at(tight, Plan.from_indices(tight, [[[0, 1]], [[2, 3]]]), now)[0]
    assert (one.doing, one.place, one.done) == (doing, place, done)
    assert one.free == pytest.approx(free)


def test_whoever_waits_for_goods_can_still_do_something_else(slow: HCVRP):
    plan = Plan.from_indices(slow, [[[0, 1]], [[2], [3]]])
    doing = [at(slow, plan, now)[1].doing for now in (2.5, 3.5, 5.5)]
    # Goods are there at three; loaded by then, it leaves at once.
    table = schedule(slow, known_once(slow, plan))[1]
    assert table.departure == 3.0
    assert doing[0] == "loading"
    assert doing[1] == "driving"
    day = slow.day
    assert day is not None
    late = slow.replace(day=day.replace(released=[0, 0, 7, 0], available=[(0, 99), (0, 99)]))
    waiting = at(late, plan, 4.0)[1]
    assert waiting.doing in ("not begun", "waiting")
    assert waiting.free == 4.0
    assert waiting.aboard == ()


def test_couriers_have_on_board_what_they_fetched(corridor: OMDCPDP):
    plan = Plan.from_indices(corridor, [[[0, 3, 1, 4]], [[2, 5]]])
    aboard = [[one.aboard for one in at(corridor, plan, now)] for now in (0, 1, 2, 3, 4)]
    assert aboard == [[(), ()], [(0,), (2,)], [(), ()], [(1,), ()], [(), ()]]
    done = at(corridor, plan, 9.0)
    assert [one.doing for one in done] == ["done", "done"]
    assert [one.place for one in done] == [4, 5]


def test_a_courier_under_way_begins_with_what_it_has(corridor: OMDCPDP):
    told = corridor.replace(day=Day(on_board=[[0], []]))
    plan = Plan.from_indices(told, [[[0, 3, 1, 4]], [[2, 5]]])
    left = at(told, plan, 0.0)[0]
    assert left.aboard == (0,)
    assert at(told, plan, 2.0)[0].aboard == ()
    # It is not fetched any more: two to the delivery, one more to the next pickup.
    assert at(told, plan, 2.5)[0].free == pytest.approx(3.0)


def test_spare_goods_stay_on_board_until_the_depot(square: HCVRP):
    """East is on board from the start and has no place in the plan."""
    told = square.replace(day=Day(on_board=[[0, 1], []]))
    plan = Plan.from_indices(told, [[[1], [2]], [[3]]])
    out, back = at(told, plan, 0.5)[0], at(told, plan, 1.5)[0]
    assert set(out.aboard) == {0, 1}
    assert out.done == ()
    assert (back.done, set(back.aboard) | set(back.back)) == ((1,), {0})
    loaded = at(told, plan, 2.5)[0]
    assert (loaded.aboard, loaded.back) == ((2,), ())


def test_a_moment_before_the_day_of_anybody(square: HCVRP):
    empty = whereabouts(square, [[], []], np.float64(3.0))
    assert [one.doing for one in empty] == ["not begun", "not begun"]
    assert [one.free for one in empty] == [3.0, 3.0]
