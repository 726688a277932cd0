"""Every setting of our pointer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from geopar.errors import Faults
from geopar.problems.kinds import PROBLEM_KINDS, Kind
from geopar.settings import Settings

# How many vehicles leave a depot in one step, unless told otherwise.
USUAL_TURNS = 8


@dataclass(frozen=True, slots=True)
class PointerConfig(Settings):
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
    inserts
        HCVRP: whether a customer comes where it costs least in the vehicle's open trip. If not, it
        comes behind the last one, as in the paper: a teacher for the paper's network.
    """

    kind: Kind
    width: int = 64
    clip: float = 10.0
    reach: int = 32
    turns: int | None = None
    inserts: bool = True

    def __post_init__(self) -> None:
        has_depot = PROBLEM_KINDS[self.kind].comes_home
        if self.turns is None:
            object.__setattr__(self, "turns", USUAL_TURNS if has_depot else 0)
        faults = Faults()
        if self.turns and not has_depot:
            message = "is for HCVRP alone: there is no depot."
            faults.add("out-of-range", "turns", self.turns, message)
        if not (self.inserts or has_depot):
            message = "must be true: orders are always planned in where they cost least."
            faults.add("out-of-range", "inserts", self.inserts, message)
        # Beyond these sizes a card asks for more memory than anybody has.
        self.check_ranges(faults, width=(1, 4096), reach=(1, 100_000), turns=(0, 100_000))
        self.check_positive(faults, "clip")
        faults.raise_if_any()


@dataclass(frozen=True, slots=True)
class PointerDecoding(Settings):
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

    what: ClassVar[str] = "decoding"

    mode: Literal["greedy", "resolve"] = "greedy"
    proposals: int = 3
    least_vehicles: int = 0
    least_tasks: int = 0

    def __post_init__(self) -> None:
        faults = Faults()
        least = 0, math.inf
        self.check_ranges(faults, proposals=(1, math.inf), least_vehicles=least, least_tasks=least)
        faults.raise_if_any()

    def proposals_for(self, num_tasks: int, num_vehicles: int) -> int:
        """How many actions everybody may name in an instance of this size."""
        is_large = num_tasks >= self.least_tasks and num_vehicles >= self.least_vehicles
        return self.proposals if self.mode == "resolve" and is_large else 1
