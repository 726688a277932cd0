"""A setting by name, such as ``hcvrp/60/3``: the problem, how many tasks, how many vehicles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from geopar.errors import Faults
from geopar.problems import Problem, validation
from geopar.problems.hcvrp.generate import generate as generate_hcvrp
from geopar.problems.omdcpdp.generate import generate as generate_omdcpdp
from geopar.problems.omdcpdp.generate import num_orders

Kind = Literal["hcvrp", "omdcpdp"]
KINDS: tuple[Kind, ...] = ("hcvrp", "omdcpdp")


@dataclass(frozen=True, slots=True)
class Setting:
    """``kind/num_tasks/num_vehicles``."""

    kind: Kind
    num_tasks: int
    num_vehicles: int

    def __post_init__(self) -> None:
        if self.kind == "omdcpdp":
            num_orders(self.num_tasks)

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
        if kind not in ("hcvrp", "omdcpdp"):
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
        faults.raise_if_any()
        return cls("hcvrp" if kind == "hcvrp" else "omdcpdp", int(tasks), int(vehicles))

    def generate(self, rng: np.random.Generator) -> Problem:
        """One random instance."""
        draw = generate_hcvrp if self.kind == "hcvrp" else generate_omdcpdp
        return draw(self.num_tasks, self.num_vehicles, rng)
