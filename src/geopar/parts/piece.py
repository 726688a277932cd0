"""What goes to a worker and comes back: a part as a problem of its own, and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.plan import Plan, flatten, unflatten
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.search.engines import make_engine
from geopar.search.pace import run_paced
from geopar.search.teams import FlatPlan
from geopar.solver import Request
from geopar.stop import Budget, MaxIterations, MaxRuntime

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KINDS: dict[str, type[Any]] = {"hcvrp": HCVRP, "omdcpdp": OMDCPDP}
# Iterations between two looks at the clock.
PIECE = 1000


@dataclass(frozen=True)
class Effort:
    """How long a part is searched, and how hot.

    Parameters
    ----------
    seed
        Of the search.
    begin, end
        Which fractions of its cooling these iterations are.
    horizon
        Iterations that fall to this part in the whole run, about.
    iterations, seconds
        After so many it ends, whichever comes first.
    """

    seed: int
    begin: float = 0.0
    end: float = 1.0
    horizon: float = 1.0
    iterations: int | None = None
    seconds: float = math.inf

    @property
    def rule(self) -> MaxIterations | MaxRuntime:
        """When it ends."""
        return (
            MaxRuntime(self.seconds) if self.iterations is None else MaxIterations(self.iterations)
        )


@dataclass(frozen=True)
class Piece:
    """A part of a problem, numbered from 0 on.

    Parameters
    ----------
    kind, arrays
        The problem: its kind, and its arrays by name.
    plan
        The trips to begin with; an insertion if left out.
    effort
        How long.
    """

    kind: str
    arrays: dict[str, Any]
    plan: FlatPlan | None
    effort: Effort

    def problem(self) -> Problem:
        """The part as a problem of its own."""
        made: Problem = KINDS[self.kind](**self.arrays)
        return made


class Found(NamedTuple):
    """What became of a piece."""

    plan: FlatPlan
    iterations: int


@dataclass(frozen=True)
class Place:
    """Where a piece belongs: what the whole problem calls its tasks and vehicles, both sorted."""

    tasks: Ints
    vehicles: Ints

    def inside(self, plan: FlatPlan) -> FlatPlan:
        """A part of the plan, in the piece's own numbers but for vehicles, which have them."""
        tasks, bounds, vehicle = plan
        return np.searchsorted(self.tasks, tasks), bounds, vehicle

    def outside(self, plan: FlatPlan) -> FlatPlan:
        """The piece's plan, in the numbers of the whole."""
        tasks, bounds, vehicle = plan
        return self.tasks[tasks], bounds, self.vehicles[vehicle]


def joined(parts: list[FlatPlan]) -> FlatPlan:
    """The trips of all."""
    tasks, bounds, vehicle = zip(*parts, strict=True)
    sizes = np.concatenate([np.diff(ends) for ends in bounds])
    ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return np.concatenate(tasks), ends, np.concatenate(vehicle)


def improve(piece: Piece) -> Found:
    """The task itself: search a part."""
    effort, budget = piece.effort, Budget(piece.effort.rule)
    problem = piece.problem()
    routes = None if piece.plan is None else unflatten(*piece.plan, problem.num_vehicles)
    engine = make_engine(problem, routes, effort.seed, effort.horizon, threads=1)

    def advance(count: int, begin: float, end: float) -> tuple[int, float]:
        span = effort.end - effort.begin
        return count, engine.advance(count, effort.begin + span * begin, effort.begin + span * end)

    def plan() -> Plan:
        return Plan.from_indices(problem, engine.best_routes())

    cost = engine.advance(0, effort.begin, effort.begin)
    done = run_paced(advance, Request(problem, budget), 1 << 62, PIECE, cost, plan)
    return Found(flatten(engine.best_routes()), done)
