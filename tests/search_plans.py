"""The plan inside a search state in plain Python, and what it costs by the definitions."""

import numpy as np
from numpy.typing import NDArray

from geopar.plan import flatten
from geopar.problems import HCVRP, OMDCPDP
from geopar.search import hcvrp, omdcpdp
from geopar.search.hcvrp.audit import largest_discrepancy
from geopar.search.hcvrp.state import FIRST, NEXT, OWNER
from strategies import random_plan

Trips = list[tuple[int, list[int]]]
Routes = list[NDArray[np.int64]]


def hcvrp_at_random(problem: HCVRP, seed: int) -> tuple[hcvrp.Data, hcvrp.State]:
    """A state with a random feasible plan."""
    data = hcvrp.prepare(problem)
    plan = random_plan(problem, np.random.default_rng(seed))
    return data, hcvrp.from_routes(data, seed, flatten(plan.to_indices(problem)))


def stays_whole(
    problem: HCVRP, seed: int, temperature: float, parameters: hcvrp.Parameters
) -> None:
    """Whatever is accepted at a temperature, the state is what its plan says."""
    data = hcvrp.prepare(problem)
    state = hcvrp.initial(data, seed)
    hot = parameters._replace(first_temperature=temperature, last_temperature=temperature)
    for _ in range(30):
        hcvrp.anneal(data, state, hot, 1, 0.5, 0.5)
        # When a tiny plan gets much better at once, rounding is all that is left of the cost; the
        # next piece sums it up anew.
        hcvrp.anneal(data, state, hot, 0, 0.5, 0.5)
        assert largest_discrepancy(data, state) < 1e-6


def trips_of(data: hcvrp.Data, state: hcvrp.State) -> Trips:
    """Vehicle and customers of each trip that has any, also of those opened in this iteration."""
    n, trips = len(data.near), []
    for row in state.trip.tolist():
        tour, c = [], row[FIRST]
        while row[OWNER] >= 0 and c < n:
            tour.append(c)
            c = int(state.customer[c, NEXT])
        if tour:
            trips.append((row[OWNER], tour))
    return sorted(trips)


def length_of(data: hcvrp.Data, tour: list[int]) -> float:
    """How long a trip from the depot to the depot is, in the search's own unit."""
    n = len(data.near)
    legs = np.diff(data.place[[n, *tour, n], :2], axis=0)
    return float(np.hypot(*legs.T).sum())


def omdcpdp_at_random(
    problem: OMDCPDP, seed: int, settings: omdcpdp.Settings | None = None
) -> tuple[omdcpdp.Data, omdcpdp.State]:
    """A state with a random feasible plan."""
    data = omdcpdp.prepare(problem, settings)
    return data, omdcpdp.from_routes(data, random_routes(problem, seed), seed)


def random_routes(problem: OMDCPDP, seed: int) -> Routes:
    """The tasks of each vehicle in a random feasible plan."""
    plan = random_plan(problem, np.random.default_rng(seed))
    return [
        np.concatenate([np.zeros(0, dtype=np.int64), *trips]) for trips in plan.to_indices(problem)
    ]


def cost_of(problem: OMDCPDP, routes: Routes) -> float:
    """The arrivals at all deliveries, after making sure that these routes can be driven."""
    orders, total = problem.num_orders, 0.0
    for v, route in enumerate(routes):
        places = np.vstack([problem.starts_xy[v : v + 1], problem.tasks_xy[route]])
        arrival = np.cumsum(np.hypot(*np.diff(places, axis=0).T))
        total += arrival[route >= orders].sum()
        aboard = np.cumsum(np.where(route < orders, 1, -1))
        assert (aboard <= problem.capacity[v]).all()
        when = {int(task): i for i, task in enumerate(route)}
        assert sorted(when) == sorted(route.tolist())
        assert all(when[task] < when[task + orders] for task in when if task < orders)
        assert 2 * sum(task < orders for task in when) == len(route)
    return float(total)


def objective(problem: OMDCPDP, routes: Routes) -> float:
    """What routes that serve every order cost."""
    assert sorted(np.concatenate(routes)) == list(range(problem.num_tasks))
    return cost_of(problem, routes)
