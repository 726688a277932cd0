"""Lets OR-Tools search under our stop rules, and tells observers what it finds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from ortools.constraint_solver import pywrapcp, routing_enums_pb2

from geopar.peers.ortools.model import Model
from geopar.plan import Indices
from geopar.stop import Budget

# Without a plan of its own after this share of the run it is given one.
PATIENCE = 0.2
SECONDS_BETWEEN_LOOKS = 0.05
ITERATIONS_BETWEEN_LOOKS = 10_000
# OR-Tools warns that it may run for ever when it has no time limit; our rules end it.
WITHOUT_LIMIT = 10**9

Found = list[list[Indices]]


class Search:
    """A run of OR-Tools' local search on a model.

    An iteration is a look of its own at whether to stop: one for about each neighbour that it
    tries. It comes at the same places in every run, so that a number of them repeats exactly.

    Parameters
    ----------
    model
        The problem.
    budget
        When to stop.
    first
        OR-Tools' name of the way to a first plan.
    cost
        What a plan really costs.
    observe
        Called with this and whether the plan is better than all before: at plans, and now and then.
    faithful
        Whether the best plan is the one that OR-Tools takes for it, or the one that costs least.
    """

    def __init__(
        self,
        model: Model,
        budget: Budget,
        first: str,
        cost: Callable[[Found], float],
        observe: Callable[[Search, bool], None],
        faithful: bool = False,
    ) -> None:
        self.model, self.budget = model, budget
        self.routes: Found | None = None
        self.cost = math.inf
        self.iterations = 0
        self._cost_of, self._observe, self._faithful = cost, observe, faithful
        self._value = math.inf
        self._ended, self._patience = False, 1.0
        self._error: BaseException | None = None
        self._plan_looks()
        self._parameters = _parameters(first, model.punishment)
        routing = model.routing
        routing.AddAtSolutionCallback(self._guard(self._at_plan))
        routing.AddSearchMonitor(routing.solver().CustomLimit(self._guard(self._is_over)))
        routing.CloseModelWithParameters(self._parameters)

    def run(self, start: Found | None = None) -> None:
        """Search from a start, or from a first plan of its own, for which it has a part of the run.

        Afterwards ``routes`` is the best plan found, if there is any.
        """
        routing, left = self.model.routing, self.budget.seconds_left
        self._ended, self._patience = False, 1.0 if start else PATIENCE
        seconds = WITHOUT_LIMIT if math.isinf(left) else max(left, 0.0)
        self._parameters.time_limit.FromMilliseconds(int(1000 * seconds))
        if start is None:
            routing.SolveWithParameters(self._parameters)
        else:
            given = self.model.assignment(start)
            if given is not None:
                routing.SolveFromAssignmentWithParameters(given, self._parameters)
        if self._error is not None:
            raise self._error

    def _guard(self, callback: Callable[[], Any]) -> Callable[[], Any]:
        """Errors must not pass through OR-Tools: they end the run and are raised after it."""

        def guarded() -> Any:
            if self._error is not None:
                return True
            try:
                return callback()
            except BaseException as error:
                self._error = error
                return True

        return guarded

    def _is_over(self) -> bool:
        if self._ended:
            return True
        self.iterations += 1
        # Called for every neighbour: mostly there is nothing to do.
        budget = self.budget
        if self.iterations < self._next and time.perf_counter() < self._wake:
            return budget.interrupted
        budget.note(self.iterations, self.cost)
        late = self.routes is None and budget.fraction > self._patience
        self._ended = late or budget.done
        if budget.done:
            # Ways to a first plan look at nothing else: without it some go on for ever. It is for
            # good: who was only late is given a plan and goes on.
            self.model.routing.CancelSearch()
        self._plan_looks()
        if self.routes is not None and not self._ended:
            self._observe(self, False)
        return self._ended

    def _plan_looks(self) -> None:
        """When to look at the budget again."""
        left = min(self.budget.iterations_left, ITERATIONS_BETWEEN_LOOKS)
        self._next = self.iterations + max(1, math.ceil(left))
        self._wake = time.perf_counter() + SECONDS_BETWEEN_LOOKS

    def _at_plan(self) -> None:
        if self._ended:
            return
        value = self.model.routing.CostVar().Value()
        if value >= self._value:
            return
        self._value = value
        routes = self.model.now()
        cost = self._cost_of(routes)
        if self._faithful or cost < self.cost:
            self.routes, self.cost = routes, cost
            self._observe(self, self.budget.note(self.iterations, cost))


def _parameters(first: str, punishment: float) -> Any:
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    strategies = routing_enums_pb2.FirstSolutionStrategy
    parameters.first_solution_strategy = strategies.Value.Value(first)
    meta = routing_enums_pb2.LocalSearchMetaheuristic
    parameters.local_search_metaheuristic = meta.GUIDED_LOCAL_SEARCH
    parameters.guided_local_search_lambda_coefficient = punishment
    parameters.time_limit.FromSeconds(WITHOUT_LIMIT)
    return parameters
