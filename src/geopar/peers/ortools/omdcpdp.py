"""OMDCPDP for OR-Tools, with two objectives.

``span`` is what the paper describes: the length of all routes plus 10,000 times the longest one.
It says nothing of when a delivery arrives, which is what the problem is about. ``arrival`` is the
problem's own objective: every delivery is wanted at time zero and pays for each unit that it is
late. Routes are open: they end at a node that is no distance from anywhere.
"""

from __future__ import annotations

import numpy as np

from geopar.peers.ortools import scaling
from geopar.peers.ortools.model import Model, Objective, Routes, as_trip, check_size
from geopar.plan import Indices
from geopar.problems import OMDCPDP

FINDS_A_FIRST_PLAN = True
# The paper's global span coefficient.
SPAN_WEIGHT = 10_000
# What a delivery pays for being late, where an arc pays its length once: arcs are only there to
# guide the first plan and the punishments.
ARRIVAL_WEIGHT = 10


class OMDCPDPModel(Model):
    """One instance; ``reference`` is what some plan for it costs, more than zero."""

    def __init__(self, problem: OMDCPDP, reference: float, objective: Objective) -> None:
        super().__init__(problem)
        half, n, m = problem.num_orders, problem.num_tasks, problem.num_vehicles
        end = n + m
        check_size(end + 1, 1)
        self.build(end + 1, list(range(n, end)), [end] * m)
        self.per_unit = scaling.units(reference, half * n)
        across = scaling.distances(np.concatenate([problem.tasks_xy, problem.starts_xy]))
        lengths = np.pad(scaling.rounded(across, self.per_unit), (0, 1))
        transit = self.matrix(lengths)
        routing = self.routing
        routing.SetArcCostEvaluatorOfAllVehicles(transit)
        routing.AddDimension(transit, 0, int(lengths.max()) * (n + 1), True, "length")
        aboard = np.zeros(end + 1, dtype=np.int64)
        aboard[:half], aboard[half:n] = 1, -1
        routing.AddDimensionWithVehicleCapacity(
            routing.RegisterUnaryTransitVector(aboard.tolist()), 0,
            np.minimum(problem.capacity, half).astype(np.int64).tolist(), True, "aboard",
        )  # fmt: skip
        length = routing.GetDimensionOrDie("length")
        for order in range(half):
            self._add_order(self.index(order), self.index(half + order), length, objective)
        if objective == "span":
            length.SetGlobalSpanCostCoefficient(SPAN_WEIGHT)
            # OR-Tools' own default, as nothing else is said.
            self.punishment = 0.1
        else:
            # An arc holds up all the deliveries behind it: about as many as a vehicle has.
            self.punishment = ARRIVAL_WEIGHT * max(1.0, half / m)

    def _add_order(self, pickup: int, delivery: int, length: object, objective: Objective) -> None:
        routing, solver = self.routing, self.routing.solver()
        routing.AddPickupAndDelivery(pickup, delivery)
        solver.Add(routing.VehicleVar(pickup) == routing.VehicleVar(delivery))
        solver.Add(length.CumulVar(pickup) <= length.CumulVar(delivery))  # type: ignore[attr-defined]
        if objective == "arrival":
            length.SetCumulVarSoftUpperBound(delivery, 0, ARRIVAL_WEIGHT)  # type: ignore[attr-defined]

    def routes(self, visits: list[list[int]]) -> list[list[Indices]]:
        """One trip for each vehicle that moves."""
        return [[as_trip(nodes)] if nodes else [] for nodes in visits]

    def nodes(self, routes: Routes) -> list[list[int]] | None:
        """Tasks are nodes."""
        return [[int(task) for trip in trips for task in trip] for trips in routes]


def make_model(
    problem: OMDCPDP, reference: float, begin: Routes, objective: Objective
) -> OMDCPDPModel:
    """For an instance; what it begins with does not matter."""
    return OMDCPDPModel(problem, reference, objective)


def cost(problem: OMDCPDP, routes: Routes) -> float:
    """The sum of the delivery arrivals (Eq. 16), in the user's units."""
    total = 0.0
    for start, trips in zip(problem.starts_xy, routes, strict=True):
        for trip in trips:
            places = np.concatenate([start[None], problem.tasks_xy[trip]])
            at = np.cumsum(np.hypot(*np.diff(places, axis=0).T))
            total += float(at[trip >= problem.num_orders].sum())
    return total
