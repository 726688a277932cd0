"""What the checker reports: every rule that a plan can break, by code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.plan import LeftOut
from geopar.problems.kinds import Kind
from geopar.problems.tasks import Stop, Task

MOST_SHOWN = 20

# Every code: what it means, and a way out.
VIOLATIONS = {
    "wrong-problem": (
        "The plan is for another problem.",
        "Check it against the problem that it was made for.",
    ),
    "unknown-vehicle": (
        "The plan has a route for a vehicle that the problem does not have.",
        "Compare the ids; they are text and must be equal to the letter.",
    ),
    "duplicate-vehicle": (
        "A vehicle has more than one route.",
        "Give it one route, with several trips where the problem has trips.",
    ),
    "several-trips": (
        "An OMDCPDP route has more than one trip; its vehicles do not come home.",
        "Join the trips in the order in which they are driven.",
    ),
    "unknown-task": (
        "A route visits a task that the problem does not have.",
        "Compare the ids; they are text and must be equal to the letter.",
    ),
    "unserved": ("No route serves the task.", "Add it to a route."),
    "served-twice": ("A task is served more than once.", "Keep one of its visits."),
    "overload": (
        "A trip carries more than its vehicle can.",
        "Split the trip, or give it to a larger vehicle.",
    ),
    "split-order": (
        "One vehicle picks an order up and another delivers it.",
        "Put both ends on one vehicle.",
    ),
    "delivery-before-pickup": (
        "A vehicle delivers an order before it picks it up.",
        "Swap the two stops.",
    ),
    "delivery-without-pickup": (
        "An order is delivered and never picked up.",
        "Add its pickup to the same route.",
    ),
    "too-many-on-board": (
        "A vehicle carries more orders at once than it has room for.",
        "Deliver an order before the next pickup.",
    ),
    "late": (
        "A vehicle comes to a stop after its last window.",
        "Visit it earlier, or give it to another vehicle.",
    ),
    "depot-closed": (
        "A vehicle is at the depot, or would be loaded there, after it closes.",
        "Shorten its trips, or give them to another vehicle.",
    ),
    "shift-over": (
        "A vehicle is done after its shift ends.",
        "Take stops off it, or let its shift be longer.",
    ),
    "on-duty-too-long": (
        "A vehicle is on duty for longer than it may be.",
        "Take stops off it, or let it be longer on duty.",
    ),
    "too-many-trips": (
        "A vehicle makes more trips than it may.",
        "Join trips, or give them to another vehicle.",
    ),
    "not-allowed": (
        "A vehicle serves a stop that it may not.",
        "Give it to one of the vehicles that may.",
    ),
    "not-as-locked": (
        "A route does not begin with what is locked or on board.",
        "Put these stops first, as they are.",
    ),
    "wrong-objective": (
        "The plan claims another objective than its routes have.",
        "Correct the claim, or leave it out.",
    ),
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule.

    Parameters
    ----------
    code
        A key of :data:`VIOLATIONS`.
    message
        What is wrong, with ids and numbers.
    vehicles, tasks
        The ids concerned.
    trip
        Which trip of the vehicle, counted from one.
    found, allowed
        The two numbers that disagree.
    """

    code: str
    message: str
    vehicles: tuple[str, ...] = ()
    tasks: tuple[Task, ...] = ()
    trip: int | None = None
    found: float | None = None
    allowed: float | None = None

    @property
    def hint(self) -> str:
        """A way out."""
        return VIOLATIONS[self.code][1]

    def to_json(self) -> dict[str, Any]:
        """Everything that JSON can say."""
        tasks = [task._asdict() if isinstance(task, Stop) else task for task in self.tasks]
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "vehicles": list(self.vehicles),
            "tasks": tasks,
            "trip": self.trip,
            "found": self.found,
            "allowed": self.allowed,
        }

    def __str__(self) -> str:
        return f"[{self.code}] {self.message}"


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What the checker found.

    Parameters
    ----------
    kind
        The problem's kind.
    violations
        Every broken rule; empty for a plan that passed.
    objective
        Recomputed in float64 and the user's units; infinite unless feasible.
    completion
        For each vehicle of the problem the moment at which it is home (HCVRP) or the length of
        its route (OMDCPDP), as far as the plan's tasks are known. On a working day the moment at
        which it is done, counted from the first start of the fleet.
    goal
        What the objective is, in words.
    left_out
        What nobody serves because there was no room for it: on working days only.
    left_out_priority
        The sum of their priorities.
    """

    kind: Kind
    violations: tuple[Violation, ...]
    objective: float
    completion: NDArray[np.float64]
    goal: str
    left_out: tuple[LeftOut, ...] = ()
    left_out_priority: float = 0.0

    @property
    def rank(self) -> tuple[float, float]:
        """By which plans are compared: what is left out, then the objective."""
        return self.left_out_priority, self.objective

    @property
    def feasible(self) -> bool:
        """Whether nothing is wrong."""
        return not self.violations

    def __str__(self) -> str:
        if self.feasible:
            absent = f", {len(self.left_out)} left out" if self.left_out else ""
            return f"feasible, {self.goal} {self.objective:.6g}{absent}"
        counts = Counter(violation.code for violation in self.violations)
        summary = ", ".join(f"{count} {code}" for code, count in counts.most_common())
        lines = [f"not feasible: {summary}"]
        lines += [f"  {violation}" for violation in self.violations[:MOST_SHOWN]]
        if len(self.violations) > MOST_SHOWN:
            lines.append(f"  … and {len(self.violations) - MOST_SHOWN} more")
        return "\n".join(lines)
