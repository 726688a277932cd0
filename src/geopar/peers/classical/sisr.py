"""SISR, slack induction by string removals, for the HCVRP: the paper's strongest baseline.

J. Christiaens and G. Vanden Berghe (2020), "Slack induction by string removals for vehicle routing
problems", Transportation Science 54(2). Ruin: remove strings of neighbouring customers from trips
near a seed. Recreate: put them back one by one at the cheapest place, overlooking a place now and
then. Accept by simulated annealing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from geopar.compiled.random import seed_state
from geopar.peers.classical import common
from geopar.peers.classical.common import ABOVE_ZERO, Work, check_parameters, require_hcvrp
from geopar.peers.classical.decode import normalised
from geopar.peers.classical.linked import empty_trips, linked, to_routes
from geopar.peers.classical.string_removal import BEST, Rules, anneal, new_search, one_trip_each
from geopar.solver import Outcome, Request

# Iterations between two looks at the budget: a few hundredths of a second at any N.
PIECE = 1000


@dataclass(frozen=True, slots=True)
class SisrParameters:
    """The paper's parameters by their names, then what it leaves open.

    Published with the paper's results: ``c_bar``, ``L_max``, ``alpha``, ``beta``, ``T0``, ``Tf``
    and 300,000 iterations per customer. Inferred: that ``alpha`` is the split depth and ``beta``
    the blink rate, as in the method's first report (the journal has other letters). Our choice:
    all that adapts it to the makespan of a mixed fleet with many trips, which is published
    nowhere.

    Parameters
    ----------
    c_bar
        Customers removed on average.
    L_max
        Longest string.
    alpha
        Chance that a split string keeps one more customer.
    beta
        Chance to overlook a place (to blink).
    T0, Tf
        First and last temperature, in units in which the instance is ``grid`` long.
    iterations_per_customer
        Of the full budget.
    factor
        What part of the full budget to plan for.
    split
        Chance of a split string; one half in the method.
    grid
        How long the longer side of the instance is for the temperatures: the method's own
        benchmarks live on such a grid, and temperatures of 100 to 1 mean nothing at length 1.
    epsilon
        The search sees makespan + ``epsilon`` · sum of all finishing times, because the makespan
        alone has no slope. What is kept as best is the makespan.
    neighbours
        How many nearest customers are looked at: strings are removed around the seed and trips
        considered for a customer among these. With N or more it is the method to the letter.
    """

    c_bar: float = 10.0
    L_max: int = 10
    alpha: float = 1e-3
    beta: float = 1e-2
    T0: float = 100.0
    Tf: float = 1.0
    iterations_per_customer: int = 300_000
    factor: float = 1.0
    split: float = 0.5
    grid: float = 1000.0
    epsilon: float = 1e-2
    neighbours: int = 100

    def __post_init__(self) -> None:
        check_parameters(
            self,
            c_bar=(1, math.inf),
            L_max=(1, math.inf),
            alpha=(0, 1),
            beta=(0, 0.99),
            T0=(ABOVE_ZERO, math.inf),
            Tf=(ABOVE_ZERO, math.inf),
            iterations_per_customer=(1, math.inf),
            factor=(ABOVE_ZERO, math.inf),
            split=(0, 1),
            grid=(ABOVE_ZERO, math.inf),
            neighbours=(1, math.inf),
        )

    def full(self, num_tasks: int) -> int:
        """The published number of iterations."""
        return self.iterations_per_customer * num_tasks


PAPER = SisrParameters()


def sisr(request: Request, parameters: SisrParameters = PAPER) -> Outcome:
    """Solve by ruin and recreate, which is one iteration.

    Without ``start`` it begins, as the method does, with a trip for every customer. It uses one
    thread whatever ``threads`` says.
    """
    problem, start = require_hcvrp(request.problem, "sisr"), request.start
    instance, unit = normalised(problem)
    if start is None:
        trips = empty_trips(problem.num_tasks, problem.num_vehicles)
        one_trip_each(instance, trips, np.argsort(-instance.home[:-1], kind="stable"))
    else:
        trips = linked(instance, start.to_indices(problem))
    # Nobody will be asked for neighbours when there is no time.
    neighbours = 0 if request.budget.done else parameters.neighbours
    search = new_search(instance, trips, neighbours, parameters.epsilon)
    rules = _rules(parameters)
    random = seed_state(request.seed)

    def advance(count: int, begin: float, end: float) -> int:
        anneal(instance, search, rules, random, count, begin, end)
        return count

    work = Work(
        advance, lambda: float(search.costs[BEST]) * unit, lambda: to_routes(search.best)
    )  # fmt: skip
    return common.run(request, work, parameters, PIECE, "sisr", "iterations")


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it."""
    common.compile_by_running(sisr, "Compiling sisr, once: about 8 s.", announce)


def _rules(parameters: SisrParameters) -> Rules:
    same = (float(getattr(parameters, name)) for name in Rules._fields[:-2])
    temperatures = parameters.T0 / parameters.grid, parameters.Tf / parameters.T0
    return Rules._make([*same, *temperatures])
