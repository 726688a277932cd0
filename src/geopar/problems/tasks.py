"""What a plan's routes are made of: tasks by the user's own ids."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Stop(NamedTuple):
    """One end of an order: a task of OMDCPDP."""

    order: str
    action: Literal["pickup", "delivery"]

    def __str__(self) -> str:
        return f"{self.action} of {self.order}"


# A customer of HCVRP by id, or one end of an order of OMDCPDP.
Task = str | Stop
