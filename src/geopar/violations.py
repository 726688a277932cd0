"""What the checker reports: every rule that a plan can break, by code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.problems.kinds import PROBLEM_KINDS, Kind
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
        its route (OMDCPDP), as far as the plan's tasks are known.
    """

    kind: Kind
    violations: tuple[Violation, ...]
    objective: float
    completion: NDArray[np.float64]

    @property
    def feasible(self) -> bool:
        """Whether nothing is wrong."""
        return not self.violations

    def __str__(self) -> str:
        if self.feasible:
            return f"feasible, {PROBLEM_KINDS[self.kind].goal} {self.objective:.6g}"
        counts = Counter(violation.code for violation in self.violations)
        summary = ", ".join(f"{count} {code}" for code, count in counts.most_common())
        lines = [f"not feasible: {summary}"]
        lines += [f"  {violation}" for violation in self.violations[:MOST_SHOWN]]
        if len(self.violations) > MOST_SHOWN:
            lines.append(f"  … and {len(self.violations) - MOST_SHOWN} more")
        return "\n".join(lines)
