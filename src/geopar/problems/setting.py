"""A setting by name, such as ``hcvrp/60/3``: the problem, how many tasks, how many vehicles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geopar.errors import Faults, refuse
from geopar.problems import Problem, validation
from geopar.problems.kinds import PROBLEM_KINDS, Kind, kind_named


@dataclass(frozen=True, slots=True)
class Setting:
    """``kind/num_tasks/num_vehicles``."""

    kind: Kind
    num_tasks: int
    num_vehicles: int

    def __post_init__(self) -> None:
        each = PROBLEM_KINDS[self.kind].tasks_per_order
        if self.num_tasks % each:
            refuse(
                "odd-tasks", "tasks", self.num_tasks, f"is odd; every order has {each} tasks.",
                f"Maybe {self.num_tasks + 1}.",
            )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.kind}/{self.num_tasks}/{self.num_vehicles}"

    @classmethod
    def parse(cls, text: str) -> Setting:
        """Read a name.

        Raises
        ------
        geopar.errors.InputError
            For a name of another form or impossible numbers.
        """
        faults = Faults()
        kind, _, numbers = text.partition("/")
        tasks, _, vehicles = numbers.partition("/")
        hint = "Maybe hcvrp/60/3 or omdcpdp/50/5."
        known = kind_named(kind)
        if known is None:
            faults.add("unknown-problem", "setting", text, "is for no problem known here.", hint)
        for name, number, most in (
            ("tasks", tasks, validation.MOST_TASKS),
            ("vehicles", vehicles, validation.MOST_VEHICLES),
        ):
            # isdecimal alone lets other scripts' digits through; int() reads those as well
            if not (number.isascii() and number.isdecimal() and 1 <= int(number[:12]) <= most):
                faults.add(
                    "bad-setting", f"setting {name}", number,
                    f"must be a whole number from 1 to {most:,}.", hint,
                )  # fmt: skip
        if known is None or faults:
            faults.raise_now()
        return cls(known.name, int(tasks), int(vehicles))

    def generate(self, rng: np.random.Generator) -> Problem:
        """One random instance."""
        draw = PROBLEM_KINDS[self.kind].generate.load()
        problem: Problem = draw(self.num_tasks, self.num_vehicles, rng)
        return problem
