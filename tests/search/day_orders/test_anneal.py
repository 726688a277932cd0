import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import instances
from days import days
from geopar.checking import check
from geopar.compiled.jit import compiled
from geopar.plan import Plan
from geopar.problems import OMDCPDP
from geopar.problems.day import GOALS, Day
from geopar.problems.omdcpdp.generate import generate
from geopar.search import day_orders as search
from geopar.search.day_orders.anneal import arrange
from geopar.search.day_orders.data import NOBODY
from geopar.search.day_orders.state import ABSENT, BEST_ABSENT, CURRENT, OUTSIDE
from geopar.solving import solve
from geopar.stop import MaxIterations
from order_days import PARTS, judge, order_days, random_day


def audit(problem: OMDCPDP, data: search.Data, state: search.State) -> None:
    """Whether all that the state says of its plans is so."""
    for routes, total, absent in (
        (search.current_routes(data, state), None, state.value[ABSENT]),
        (search.best_routes(data, state), state.best_total, state.value[BEST_ABSENT]),
    ):
        verdict = judge(problem, routes)
        present = np.zeros(data.orders, dtype=bool)
        present[[task for route in routes for task in route if task < data.orders]] = True
        never = data.home == NOBODY
        assert absent == pytest.approx(data.priority[~present & ~never].sum())
        if total is None:
            total = state.total[:, : len(GOALS)].sum(axis=0)
            total[0] = state.total[:, 0].max(initial=0.0)
            assert state.value[CURRENT] == pytest.approx(state.cost.sum())
            listed = state.absent[: state.counter[OUTSIDE]]
            assert sorted(listed) == np.flatnonzero(~present & ~never).tolist()
            assert (state.seat[listed] == np.arange(len(listed))).all()
            assert (state.seat >= 0).sum() == len(listed)
        for goal, value in zip(GOALS, total, strict=True):
            assert value == pytest.approx(verdict.total[goal], abs=1e-6), goal


@settings(max_examples=150)
@given(order_days(), st.integers(0, 2**32))
def test_every_plan_of_any_day_can_be_driven_and_is_worth_what_is_claimed(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    audit(problem, data, state)
    before = search.best_cost(data, state)
    for _ in range(20):
        search.run(data, state, 1, 0.1, 0.1, 10_000)
        audit(problem, data, state)
    assert search.best_cost(data, state) <= before * (1.0 + 1e-9)


@settings(max_examples=150)
@given(days(kinds=("omdcpdp",)), st.integers(0, 2**32))
def test_plans_pass_the_check(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    search.run(data, state, 100, 0.0, 1.0, 100)
    plan = Plan.from_indices(problem, [[route] for route in search.best_routes(data, state)])
    report = check(problem, plan)
    assert {violation.code for violation in report.violations} <= {"unserved"}, str(report)
    # Where nothing but room is short, an order that is too large for all is left out all the same.
    assert report.feasible or problem.day.size is not None
    if report.feasible and not report.left_out:
        assert search.best_cost(data, state) == pytest.approx(report.objective)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("some", [(), PARTS[:4], PARTS[2:7], PARTS])
def test_larger_days_stay_whole(goal, some):
    problem = random_day(25, 5, some, goal, 7)
    data = search.prepare(problem)
    state = search.initial(data, 1)
    for _ in range(10):
        search.run(data, state, 50, 0.1, 0.1, 100_000)
        audit(problem, data, state)


def test_a_seed_repeats_the_search_also_in_pieces():
    problem = random_day(20, 4, {"windows", "service", "available"}, None, 3)
    data = search.prepare(problem)
    states = [search.initial(data, 5) for _ in range(2)]
    for state in states:
        search.run(data, state, 100, 0.0, 0.5, 200)
        search.run(data, state, 100, 0.5, 1.0, 200)
    for one, other in zip(*states, strict=True):
        np.testing.assert_array_equal(one, other)
    other = search.initial(data, 6)
    search.run(data, other, 200, 0.0, 1.0, 200)
    assert (other.random != states[0].random).any()


@pytest.mark.parametrize(
    ("make", "optimum"),
    [
        (instances.corridor, instances.CORRIDOR_OPTIMUM),
        (instances.one_order, instances.ONE_ORDER_OPTIMUM),
    ],
)
def test_a_day_that_asks_for_nothing_is_the_plain_problem(make, optimum):
    problem = make()
    problem = problem.replace(day=Day(priority=np.ones(problem.num_orders)))
    data = search.prepare(problem)
    state = search.initial(data, 1)
    assert search.run(data, state, 200, 0.0, 1.0, 200) == pytest.approx(optimum)


def test_the_least_important_and_fewest_are_left_out():
    # One vehicle on a line, an hour; each order takes half of it, and one is dear.
    problem = OMDCPDP(
        pickups=[(0, 0), (0, 0), (0, 0), (0, 0)],
        deliveries=[(0, 0)] * 4,
        starts=[(0, 0)],
        capacity=[4],
        day=Day(service=[0.5] * 4 + [0] * 4, available=[(0, 1)], priority=[1, 5, 2, 1]),
    )
    data = search.prepare(problem)
    state = search.initial(data, 1)
    search.run(data, state, 50, 0.0, 1.0, 50)
    served = {int(task) for task in search.best_routes(data, state)[0]}
    assert served == {1, 5, 2, 6}
    assert state.value[BEST_ABSENT] == 2


def test_locked_stops_stay_first_and_in_their_order():
    problem = generate(12, 2, np.random.default_rng(3))
    # Two orders that overlap, the pickup of a third, and one that is on board.
    locked = [[[5, 0, 1, 7, 6, 2]], []]
    problem = problem.replace(day=Day(locked=locked, on_board=[[5], []]), capacity=[4, 4])
    data = search.prepare(problem)
    for seed in range(4):
        state = search.initial(data, seed)
        search.run(data, state, 200, 0.0, 1.0, 200)
        first, second = (route.tolist() for route in search.best_routes(data, state))
        assert first[:6] == locked[0][0]
        assert {8, 11} <= set(first)
        assert sorted(first + second) == list(range(12))


def test_a_start_that_is_late_is_mended_also_where_no_shift_ends():
    problem = OMDCPDP(
        [(5, 0), (1, 0)], [(6, 0), (2, 0)], [(0, 0)], [1],
        day=Day(windows=[[(0, 9)], [], [], [(0, 3)]], minimise="distance"),
    )  # fmt: skip
    data = search.prepare(problem)
    state = search.from_routes(data, [np.array([0, 2, 1, 3])], 0)
    assert search.best_routes(data, state)[0].tolist() == [1, 3, 0, 2]


def test_on_windows_that_are_tight_everybody_is_served_who_can_be():
    # Each order must be picked up and delivered at just one moment: one tour serves them all.
    orders = 8
    along = np.arange(orders, dtype=float)
    problem = OMDCPDP(
        np.stack([along, 0 * along], 1), np.stack([along + 0.5, 0 * along], 1), [(0, 0)], [1],
        day=Day(windows=[[(t, t)] for t in (*along, *(along + 0.5))]),
    )  # fmt: skip
    data = search.prepare(problem)
    state = search.initial(data, 1)
    search.run(data, state, 300, 0.0, 1.0, 300)
    assert state.counter[OUTSIDE] == 0
    assert search.best_routes(data, state)[0].tolist() == [
        t for k in range(orders) for t in (k, orders + k)
    ]


def test_a_day_that_waits_for_nothing_is_as_good_as_the_plain_search():
    from geopar.search import omdcpdp

    problem = generate(40, 4, np.random.default_rng(5))
    plain = omdcpdp.prepare(problem)
    one = omdcpdp.initial(plain, 1)
    omdcpdp.run(plain, one, 4000, 0.0, 1.0, omdcpdp.cooling_for(plain, 4000))
    data = search.prepare(problem.replace(day=Day(service=np.zeros(40))))
    other = search.initial(data, 1)
    search.run(data, other, 4000, 0.0, 1.0, 4000)
    assert search.best_cost(data, other) == pytest.approx(omdcpdp.best_cost(one), rel=0.02)


def test_profiles_that_wait_for_road_times_drive_straight_lines():
    corridor = instances.corridor()
    busy = corridor.replace(day=Day(profile=["car"] * corridor.num_vehicles, service=[0.5] * 6))
    plain = corridor.replace(day=Day(service=[0.5] * 6))
    one, other = (solve(problem, MaxIterations(50)) for problem in (busy, plain))
    assert one.objective == other.objective


@compiled(allocates=True)
def arranged(data, state, number):
    arrange(data, state, number)


def test_orders_wait_in_one_of_five_sequences():
    problem = generate(12, 2, np.random.default_rng(2))
    windows = [[(0, 9 - order)] for order in (0, 5, 2, 4, 1, 3)] + [[]] * 6
    day = Day(windows=windows, priority=[2, 5, 1, 6, 3, 4])
    data = search.prepare(problem.replace(day=day))
    state = search.initial(data, 1)
    rules = {
        "long first": np.argsort(-data.direct),
        "soon first": np.argsort(data.least),
        "urgent first": np.argsort(data.closing),
        "dear first": np.argsort(-data.priority),
    }
    assert len({tuple(rule) for rule in rules.values()}) == 4
    drawn: list[list[int]] = []
    for _ in range(1600):
        state.removed[:6] = np.random.default_rng(len(drawn)).permutation(6)
        arranged(data, state, 6)
        drawn.append(state.removed[:6].tolist())
        assert sorted(drawn[-1]) == list(range(6))
    for name, rule in rules.items():
        # One of eight each; the other four draw any sequence, one of 720.
        often = sum(one == rule.tolist() for one in drawn) / 200
        assert often == pytest.approx(1.0, abs=0.3), name
