"""HCVRP for OR-Tools: reloads are optional visits to copies of the depot.

Each vehicle has its own travel times; the objective is the largest of the fleet's (a global span,
as all start at zero), and a little of their sum, so that the others stay short too.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from geopar.peers.classical.decode import makespan_of
from geopar.peers.ortools import scaling
from geopar.peers.ortools.model import Model, Objective, Routes, as_trip, check_size
from geopar.plan import Indices
from geopar.problems import HCVRP

# The makespan counts so many times as much as the time that all vehicles drive.
SPAN_WEIGHT = 10
# With reloads most of OR-Tools' ways to a first plan find none (some for ever), and parallel
# insertion one that is several times as long as it must be.
FINDS_A_FIRST_PLAN = False
# More than any plan worth looking at takes.
HORIZON = 1 << 45
# Reloads beyond those of the first plan: a better one may need a few more.
SPARE_RELOADS = 1


class HCVRPModel(Model):
    """One instance.

    Parameters
    ----------
    problem
        The instance.
    reference
        What some plan for it costs, more than zero.
    reloads
        How often all vehicles together may come back for more.
    """

    def __init__(self, problem: HCVRP, reference: float, reloads: int) -> None:
        super().__init__(problem)
        n, m = problem.num_tasks, problem.num_vehicles
        self.reloads = reloads
        depot = n + reloads
        speeds, of_vehicle = np.unique(problem.speed, return_inverse=True)
        check_size(depot + 1, len(speeds))
        self.build(depot + 1, [depot] * m, [depot] * m)
        self.per_unit = scaling.units(reference, depot + 1)
        at_depot = np.tile(problem.depot_xy, (reloads + 1, 1))
        across = scaling.distances(np.concatenate([problem.customers_xy, at_depot]))
        transits = [self.matrix(scaling.rounded(across / v, self.per_unit)) for v in speeds]
        own = [transits[speed] for speed in of_vehicle]
        routing = self.routing
        for vehicle, transit in enumerate(own):
            routing.SetArcCostEvaluatorOfVehicle(transit, vehicle)
        routing.AddDimensionWithVehicleTransits(own, 0, HORIZON, True, "time")
        routing.GetDimensionOrDie("time").SetGlobalSpanCostCoefficient(SPAN_WEIGHT)
        self._add_loads(problem)
        for node in range(n, depot):
            routing.AddDisjunction([self.index(node)], 0)
        # What an arc of the last vehicle home counts.
        self.punishment = float(SPAN_WEIGHT)

    def _add_loads(self, problem: HCVRP) -> None:
        n, routing = problem.num_tasks, self.routing
        demand, capacity = scaling.loads(problem)
        # A reload takes off as much as anybody could carry; slack makes up what was not there.
        largest = int(capacity.max())
        change = [*demand.tolist(), *[-largest] * self.reloads, 0]
        routing.AddDimensionWithVehicleCapacity(
            routing.RegisterUnaryTransitVector(change), largest, capacity.tolist(), True, "load"
        )
        load = routing.GetDimensionOrDie("load")
        for task in range(n):
            load.SlackVar(self.index(task)).SetValue(0)

    def routes(self, visits: list[list[int]]) -> list[list[Indices]]:
        """Cut at the reloads, without empty trips."""
        routes = []
        for nodes in visits:
            cuts = [-1, *(i for i, node in enumerate(nodes) if node >= self.num_tasks), len(nodes)]
            trips = [nodes[a + 1 : b] for a, b in pairwise(cuts)]
            routes.append([as_trip(trip) for trip in trips if trip])
        return routes

    def nodes(self, routes: Routes) -> list[list[int]] | None:
        """Trips with reloads between them; nothing when there are more than the model has."""
        nodes: list[list[int]] = []
        reload = self.num_tasks
        for trips in routes:
            route: list[int] = []
            for trip in trips:
                if route:
                    route.append(reload)
                    reload += 1
                route.extend(int(task) for task in trip)
            nodes.append(route)
        return nodes if reload <= self.num_tasks + self.reloads else None


def make_model(problem: HCVRP, reference: float, begin: Routes, objective: Objective) -> HCVRPModel:
    """For an instance, with enough reloads for a plan to begin with; there is one objective."""
    return HCVRPModel(problem, reference, reloads_needed(problem, begin))


def cost(problem: HCVRP, routes: Routes) -> float:
    """The makespan."""
    return makespan_of(problem, routes)


def reloads_needed(problem: HCVRP, routes: Routes) -> int:
    """Those of a plan, or as many as full vehicles would need, and a few to spare."""
    driven = sum(max(0, len(trips) - 1) for trips in routes)
    fullest = float(problem.demand.sum() / problem.capacity.mean())
    spare = SPARE_RELOADS * problem.num_vehicles
    return max(driven, math.ceil(fullest) - problem.num_vehicles) + spare
