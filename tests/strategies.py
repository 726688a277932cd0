"""Hypothesis strategies: small problems of every shape, and feasible plans for them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem

Draw = Any

# Few different values, so that equal places and equal demands are common.
_grid = st.integers(-3, 3).map(float)
_anywhere = st.floats(-100, 100, allow_subnormal=False)
_coordinate = st.one_of(_grid, _anywhere)


def _places(count: int) -> st.SearchStrategy[list[tuple[float, float]]]:
    return st.lists(st.tuples(_coordinate, _coordinate), min_size=count, max_size=count)


@st.composite
def hcvrps(draw: Draw, max_tasks: int = 8, max_vehicles: int = 4) -> HCVRP:
    """A random HCVRP; demands may be zero or fractions, vehicles may be too small for some."""
    n, m = draw(st.integers(1, max_tasks)), draw(st.integers(1, max_vehicles))
    amount = st.one_of(st.integers(0, 9).map(float), st.floats(0, 9, allow_subnormal=False))
    demand = draw(st.lists(amount, min_size=n, max_size=n))
    capacity = draw(st.lists(st.floats(0.5, 30), min_size=m, max_size=m))
    roomy = draw(st.integers(0, m - 1))
    capacity[roomy] = max(capacity[roomy], *demand, 0.5)
    speed = draw(st.lists(st.floats(0.01, 10), min_size=m, max_size=m))
    depot = draw(st.tuples(_coordinate, _coordinate))
    return HCVRP(depot, draw(_places(n)), demand, capacity, speed)


@st.composite
def omdcpdps(draw: Draw, max_orders: int = 5, max_vehicles: int = 4) -> OMDCPDP:
    """A random OMDCPDP."""
    orders, m = draw(st.integers(1, max_orders)), draw(st.integers(1, max_vehicles))
    capacity = draw(st.lists(st.integers(1, 4), min_size=m, max_size=m))
    return OMDCPDP(draw(_places(orders)), draw(_places(orders)), draw(_places(m)), capacity)


def problems(max_tasks: int = 8, max_vehicles: int = 4) -> st.SearchStrategy[Problem]:
    """A random problem of either kind."""
    return st.one_of(
        hcvrps(max_tasks, max_vehicles), omdcpdps(max(1, max_tasks // 2), max_vehicles)
    )


@st.composite
def problems_with_plans(
    draw: Draw, source: st.SearchStrategy[Problem] | None = None
) -> tuple[Problem, Plan]:
    """A problem and a feasible plan for it, without a claimed objective."""
    problem = draw(source if source is not None else problems())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return problem, random_plan(problem, rng)


def random_plan(problem: Problem, rng: np.random.Generator) -> Plan:
    """Any feasible plan: random vehicles, random order, trips cut at random and where they must."""
    if isinstance(problem, HCVRP):
        return Plan.from_indices(problem, _hcvrp_routes(problem, rng))
    return Plan.from_indices(problem, _omdcpdp_routes(problem, rng))


def _hcvrp_routes(problem: HCVRP, rng: np.random.Generator) -> list[list[list[int]]]:
    routes: list[list[list[int]]] = [[] for _ in range(problem.num_vehicles)]
    load = np.zeros(problem.num_vehicles)
    for task in map(int, rng.permutation(problem.num_tasks)):
        demand = problem.demand[task]
        v = int(rng.choice(np.flatnonzero(problem.capacity >= demand)))
        if not routes[v] or load[v] + demand > problem.capacity[v] or rng.random() < 0.2:
            routes[v].append([])
            load[v] = 0.0
        routes[v][-1].append(task)
        load[v] += demand
    return routes


def _omdcpdp_routes(problem: OMDCPDP, rng: np.random.Generator) -> list[list[list[int]]]:
    owner = rng.integers(problem.num_vehicles, size=problem.num_orders)
    return [
        [_interleaved(np.flatnonzero(owner == v), problem, int(problem.capacity[v]), rng)]
        for v in range(problem.num_vehicles)
    ]


def _interleaved(
    orders: np.ndarray, problem: OMDCPDP, room: int, rng: np.random.Generator
) -> list[int]:
    waiting = list(map(int, orders))
    aboard: list[int] = []
    tour: list[int] = []
    while waiting or aboard:
        if waiting and len(aboard) < room and (not aboard or rng.random() < 0.5):
            aboard.append(waiting.pop(int(rng.integers(len(waiting)))))
            tour.append(aboard[-1])
        else:
            tour.append(problem.num_orders + aboard.pop(int(rng.integers(len(aboard)))))
    return tour
