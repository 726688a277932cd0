import math
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import instances
from geopar.checking import check
from geopar.errors import InputError
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.random import generate
from geopar.problems.random_day import random_day
from geopar.problems.setting import Setting
from geopar.problems.tasks import Stop
from geopar.search.dispatch import _MOST_ABOARD, _run_hcvrp, _run_omdcpdp, dispatch, warm_up
from geopar.solver import Request, find_solver
from geopar.stop import Budget, MaxIterations, MaxRuntime
from strategies import problems

WITHOUT_COMPILING = os.environ.get("NUMBA_DISABLE_JIT") == "1"


def solved(problem) -> Plan:
    outcome = dispatch(Request(problem, Budget(MaxRuntime(0)), 0))
    report = check(problem, outcome.plan)
    assert report.feasible, str(report)
    assert outcome.plan.objective == pytest.approx(report.objective, rel=1e-9)
    return outcome.plan


def trips(plan: Plan, vehicle: str) -> tuple[tuple[Any, ...], ...]:
    (found,) = [route.trips for route in plan.routes if route.vehicle == vehicle]
    return found


def test_is_in_the_list_of_solvers(any_problem):
    assert find_solver("dispatch", any_problem.kind).load() is dispatch


def test_every_tiny_problem(any_problem):
    solved(any_problem)


@given(problems(max_tasks=12))
def test_any_problem(problem):
    solved(problem)


@pytest.mark.parametrize(
    "name", ["hcvrp/1/1", "hcvrp/1/9", "hcvrp/200/7", "hcvrp/30/100", "omdcpdp/2/5",
             "omdcpdp/200/7", "omdcpdp/30/100"],
)  # fmt: skip
def test_many_shapes(name):
    for seed in range(3):
        solved(Setting.parse(name).generate(np.random.default_rng(seed)))


def hcvrp_by_hand(problem: HCVRP) -> list[list[list[int]]]:
    """The rule said in the plainest words, looking at everything in every step."""
    m = problem.num_vehicles
    routes: list[list[list[int]]] = [[[]] for _ in range(m)]
    free, load = np.zeros(m), np.zeros(m)
    where = np.tile(problem.depot_xy, (m, 1))
    left = set(range(problem.num_tasks))
    while left:
        v = int(np.argmin(free))
        fits = [i for i in left if load[v] + problem.demand[i] <= problem.capacity[v]]
        if fits:
            to = min(fits, key=lambda i: math.dist(where[v], problem.customers_xy[i]))
            place = problem.customers_xy[to]
            left.remove(to)
            routes[v][-1].append(to)
            load[v] += problem.demand[to]
        elif routes[v][-1]:
            place = problem.depot_xy
            routes[v].append([])
            load[v] = 0.0
        else:
            free[v] = np.inf
            continue
        free[v] += math.dist(where[v], place) / problem.speed[v]
        where[v] = place
    return routes


def omdcpdp_by_hand(problem: OMDCPDP) -> list[list[list[int]]]:
    m, half = problem.num_vehicles, problem.num_orders
    routes: list[list[int]] = [[] for _ in range(m)]
    aboard: list[set[int]] = [set() for _ in range(m)]
    free, where = np.zeros(m), problem.starts_xy.copy()
    left = set(range(half))
    while left or any(aboard):
        v = int(np.argmin(free))
        may = {half + order for order in aboard[v]}
        may |= left if len(aboard[v]) < problem.capacity[v] else set()
        if not may:
            free[v] = np.inf
            continue
        task = min(may, key=lambda i: math.dist(where[v], problem.tasks_xy[i]))
        if task < half:
            left.remove(task)
            aboard[v].add(task)
        else:
            aboard[v].remove(task - half)
        routes[v].append(task)
        free[v] += math.dist(where[v], problem.tasks_xy[task])
        where[v] = problem.tasks_xy[task]
    return [[route] for route in routes]


@pytest.mark.parametrize("seed", range(5))
def test_follows_the_rule_to_the_letter(seed):
    rng = np.random.default_rng(seed)
    problem: Any = Setting("hcvrp", 60, 4).generate(rng)
    assert solved(problem).routes == Plan.from_indices(problem, hcvrp_by_hand(problem)).routes
    problem = Setting("omdcpdp", 60, 4).generate(rng)
    assert solved(problem).routes == Plan.from_indices(problem, omdcpdp_by_hand(problem)).routes


def test_the_corridor_is_solved_to_optimality(corridor):
    assert solved(corridor).objective == instances.CORRIDOR_OPTIMUM


def test_a_full_vehicle_reloads(one_customer):
    problem = one_customer.replace(
        customers=[(1, 0), (2, 0), (3, 0)], demand=[1, 1, 1], customer_ids=None
    )
    assert trips(solved(problem), "v1") == (("c1",), ("c2",), ("c3",))


def test_what_does_not_fit_is_passed_over(one_customer):
    problem = one_customer.replace(
        customers=[(1, 0), (2, 0), (3, 0)], demand=[2, 2, 1], capacity=[3], customer_ids=None
    )
    assert trips(solved(problem), "v1") == (("c1", "c3"), ("c2",))


def test_a_vehicle_too_small_for_all_stays_at_home(square):
    plan = solved(square.replace(capacity=[0.5, 9]))
    assert trips(plan, "red") == ()
    assert [len(trip) for trip in trips(plan, "blue")] == [4]


def test_a_snail_serves_what_it_took_at_the_start(square):
    plan = solved(square.replace(speed=[0.001, 1]))
    assert [len(trip) for trip in trips(plan, "red")] == [1]
    assert plan.objective == pytest.approx(2000)


def test_customers_that_demand_nothing(square):
    plan = solved(square.replace(demand=[0, 0, 0, 0], capacity=[1e-9, 1e-9]))
    assert [len(route.trips) for route in plan.routes] == [1, 1]


def test_tenths_fill_a_vehicle(square):
    plan = solved(square.replace(demand=[0.1, 0.1, 0.1, 0.1], capacity=[0.3, 0.05]))
    assert [len(trip) for trip in trips(plan, "red")] == [3, 1]


def test_all_places_equal(square, corridor):
    assert solved(square.replace(customers=np.zeros((4, 2)))).objective == 0.0
    nowhere = np.zeros((3, 2))
    plan = solved(corridor.replace(pickups=nowhere, deliveries=nowhere, starts=nowhere[:2]))
    assert plan.objective == 0.0


def test_on_a_tie_deliveries_go_first(one_order):
    problem = one_order.replace(
        pickups=[(1, 0), (2, 1)], deliveries=[(2, 0), (3, 1)], capacity=[2], order_ids=["a", "b"]
    )
    a, b = (Stop(order, "pickup") for order in "ab")
    # From (2, 0) back to nothing; from (1, 0) the delivery of a at 1 comes before b's pickup at √2.
    assert trips(solved(problem), "v1")[0][:3] == (a, Stop("a", "delivery"), b)
    tie = problem.replace(pickups=[(1, 0), (1, 1)])
    assert trips(solved(tie), "v1")[0][:2] == (a, Stop("a", "delivery"))


def test_nobody_collects_without_end(one_order):
    # All pickups come before all deliveries on this road.
    count = _MOST_ABOARD + 5
    road = np.stack([np.arange(count), np.zeros(count)], axis=1)
    beyond = np.array([2.0 * count, 0.0])
    problem = one_order.replace(
        pickups=road, deliveries=road + beyond, starts=[(0, 0)], capacity=[10**6],
        order_ids=None,
    )  # fmt: skip
    (tour,) = trips(solved(problem), "v1")
    assert [stop.action for stop in tour].index("delivery") == _MOST_ABOARD


def test_neither_seed_nor_budget_nor_start_changes_the_plan(handful):
    plan = solved(handful)
    for budget in (Budget(MaxIterations(0)), Budget(MaxRuntime(1000))):
        assert dispatch(Request(handful, budget, 99, start=plan, threads=3)).plan == plan


def test_the_observer_and_the_budget_are_told(handful):
    seen: list[Any] = []
    budget = Budget(MaxRuntime(10))
    plan = dispatch(Request(handful, budget, 0, observe=seen.append)).plan
    (look,) = seen
    assert (look.cost, look.improved, look.plan()) == (plan.objective, True, plan)
    assert budget.cost == plan.objective


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
@pytest.mark.parametrize("part", ["service", "matrices"])
def test_a_day_is_refused(kind, part):
    problem = random_day(generate(f"{kind}/4/2"), np.random.default_rng(0), (part,))
    with pytest.raises(InputError, match="Use refine, insert or hybrid"):
        dispatch(Request(problem, Budget(MaxRuntime(0))))


@pytest.mark.skipif(WITHOUT_COMPILING, reason="it is about what gets compiled")
@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
def test_warm_up(kind):
    # Whether it says something depends on whether it has been compiled before.
    warm_up(kind, lambda text: None)
    assert (_run_hcvrp if kind == "hcvrp" else _run_omdcpdp).signatures
