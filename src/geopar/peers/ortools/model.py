"""What both problems' models have in common: nodes, matrices, and the way to routes and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from ortools.constraint_solver import pywrapcp

from geopar.errors import refuse
from geopar.peers.ortools.scaling import Ints
from geopar.plan import Indices
from geopar.problems import Problem

Routes = Sequence[Sequence[Indices]]
Objective = Literal["arrival", "span"]

# Entries of all matrices together: OMDCPDP with 6,000 tasks, HCVRP with 1,000 and 20 speeds.
MOST_ENTRIES = 40_000_000
# To work a number out and hand it over.
SECONDS_PER_ENTRY = 2e-7


class Model(ABC):
    """A problem in OR-Tools' terms.

    Nodes are numbered with the tasks first, so that a node below ``num_tasks`` is that task.
    """

    manager: Any
    routing: Any
    # How many times the length of an arc guided local search makes it dearer when it punishes it.
    punishment: float

    def __init__(self, problem: Problem) -> None:
        self.num_tasks = problem.num_tasks
        self.num_vehicles = problem.num_vehicles

    def build(self, num_nodes: int, starts: list[int], ends: list[int]) -> None:
        """Make the empty model."""
        self.manager = pywrapcp.RoutingIndexManager(num_nodes, self.num_vehicles, starts, ends)
        self.routing = pywrapcp.RoutingModel(self.manager)

    def matrix(self, values: Ints) -> int:
        """Hand a matrix over: its number."""
        number: int = self.routing.RegisterTransitMatrix(values.tolist())
        return number

    def index(self, node: int) -> int:
        """OR-Tools' own number for a node."""
        found: int = self.manager.NodeToIndex(node)
        return found

    def visits(self, following: Callable[[int], int]) -> list[list[int]]:
        """The nodes of each vehicle in order, where ``following`` gives the index after one."""
        routes: list[list[int]] = []
        for vehicle in range(self.num_vehicles):
            route: list[int] = []
            index = following(self.routing.Start(vehicle))
            while not self.routing.IsEnd(index):
                route.append(self.manager.IndexToNode(index))
                index = following(index)
            routes.append(route)
        return routes

    def now(self) -> list[list[Indices]]:
        """The plan that OR-Tools looks at in this moment, inside of a callback."""
        following = [self.routing.NextVar(i) for i in range(self.routing.Size())]
        return self.routes(self.visits(lambda index: int(following[index].Value())))

    def assignment(self, routes: Routes) -> Any:
        """A plan as OR-Tools' assignment, or nothing if the model has no place for it."""
        nodes = self.nodes(routes)
        if nodes is None:
            return None
        return self.routing.ReadAssignmentFromRoutes(
            [[self.index(node) for node in route] for route in nodes], True
        )

    @abstractmethod
    def routes(self, visits: list[list[int]]) -> list[list[Indices]]:
        """Trips of task indices from the nodes that vehicles visit."""

    @abstractmethod
    def nodes(self, routes: Routes) -> list[list[int]] | None:
        """The inverse of :meth:`routes`; nothing when there are not enough nodes."""


def check_size(num_nodes: int, matrices: int) -> None:
    """Refuse what would not fit into memory."""
    entries = num_nodes * num_nodes * matrices
    if entries > MOST_ENTRIES:
        needed = f"OR-Tools needs all distances at once, here {entries:,} numbers"
        message = f"{needed}; at most {MOST_ENTRIES:,} are allowed."
        refuse("too-large", "problem", ..., message, "Maybe --solver refine.")


def seconds_to_build(problem: Problem) -> float:
    """About what making a model takes: most of it for the matrices."""
    matrices = len(np.unique(problem.speeds))
    return SECONDS_PER_ENTRY * (problem.num_tasks + problem.num_vehicles) ** 2 * matrices


def as_trip(nodes: Sequence[int]) -> Indices:
    """Nodes as task indices."""
    return np.array(nodes, dtype=np.int64)
