"""Every setting of our pointer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, Self

from geopar.errors import Faults
from geopar.problems.kinds import Kind
from geopar.settings import read_settings

# How many vehicles leave a depot in one step, unless told otherwise.
USUAL_TURNS = 8


@dataclass(frozen=True, slots=True)
class PointerConfig:
    """The network, and how it looks at an instance.

    Parameters
    ----------
    kind
        The problem that it is for.
    width
        Of its hidden layers.
    clip
        Logits are within this.
    reach
        Tasks that an agent looks at.
    turns
        HCVRP: how many vehicles may leave the depot in one step, those first who would be home
        again soonest; zero: all that want. So a depot of four hundred looks like one of eight,
        which is what is meant when it is left out. OMDCPDP has no depot, and must leave it so.
    """

    kind: Kind
    width: int = 64
    clip: float = 10.0
    reach: int = 32
    turns: int | None = None

    def __post_init__(self) -> None:
        if self.turns is None:
            object.__setattr__(self, "turns", USUAL_TURNS if self.kind == "hcvrp" else 0)
        faults = Faults()
        if self.turns and self.kind != "hcvrp":
            message = "is for HCVRP alone: there is no depot."
            faults.add("out-of-range", "turns", self.turns, message)
        # Beyond these sizes a card asks for more memory than anybody has.
        for name, low, high in (
            ("width", 1, 4096), ("reach", 1, 100_000), ("turns", 0, 100_000),
        ):  # fmt: skip
            if not low <= getattr(self, name) <= high:
                message = f"must be {low} to {high}."
                faults.add("out-of-range", name, getattr(self, name), message)
        if not self.clip > 0.0:
            faults.add("out-of-range", "clip", self.clip, "must be more than zero.")
        faults.raise_if_any()

    def same_weights_fit(self, other: PointerConfig) -> bool:
        """Whether the other differs at most in how many leave the depot at once."""
        return dataclasses.replace(other, turns=self.turns) == self

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The inverse of :meth:`to_json`.

        Raises
        ------
        geopar.errors.InputError
            For unknown or missing names, wrong types, or values out of range.
        """
        return read_settings(cls, values, "network")


@dataclass(frozen=True, slots=True)
class PointerDecoding:
    """How its scores become plans.

    Parameters
    ----------
    mode
        Who loses a conflict stays (``greedy``) or names its next best (``resolve``).
    proposals
        How many actions everybody may name in one step, when conflicts are resolved.
    least_vehicles, least_tasks
        Smaller instances are decoded greedily in either mode: there a vehicle that waits for the
        next step loses less than one that takes what it wanted less.
    """

    mode: Literal["greedy", "resolve"] = "greedy"
    proposals: int = 3
    least_vehicles: int = 0
    least_tasks: int = 0

    def __post_init__(self) -> None:
        faults = Faults()
        for name, low in (("proposals", 1), ("least_vehicles", 0), ("least_tasks", 0)):
            if not getattr(self, name) >= low:
                faults.add("out-of-range", name, getattr(self, name), f"must be {low} or more.")
        faults.raise_if_any()

    def proposals_for(self, num_tasks: int, num_vehicles: int) -> int:
        """How many actions everybody may name in an instance of this size."""
        is_large = num_tasks >= self.least_tasks and num_vehicles >= self.least_vehicles
        return self.proposals if self.mode == "resolve" and is_large else 1

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The inverse of :meth:`to_json`.

        Raises
        ------
        geopar.errors.InputError
            For unknown names, wrong types, or values out of range.
        """
        return read_settings(cls, values, "decoding")
