"""Every setting of the paper's network and of its assignment, with the paper's values.

The variants of the paper's ablations are values here, not forks of code.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from geopar.errors import Faults
from geopar.problems.kinds import Kind
from geopar.settings import Settings

StateKind = Literal["relative", "parco"]


@dataclass(frozen=True, slots=True)
class NetworkConfig(Settings):
    """The network.

    Parameters
    ----------
    kind
        The problem that it is for.
    width, heads, layers, feedforward
        Of the encoder and, where they apply, of the communication block.
    directions, radius
        q and w of the projection windows.
    auxiliary
        Add the task-native ordering to the windows.
    most_cached
        K of Eq. 3; none keeps all slots.
    geometry
        The sparse edge-biased branch of Eqs. 4 and 5. Without it the network is PARCO's.
    edge_width
        Hidden width of the bias b_ψ of an edge descriptor.
    communication
        Blocks in which the active agents exchange information (Eq. 7).
    clip
        β of Eq. 8.
    state
        What δ and φ_E of Eq. 6 hold, which the paper leaves open: times and loads ``relative`` to
        the fleet and to an estimate of the outcome, or those of ``parco`` (Berto et al. 2025).
    direct
        Whether W_Q q̄ enters the logit itself, as Eq. 8 has it, beside what q̄ found by attending to
        the actions. PARCO's pointer has the latter alone.
    """

    kind: Kind
    width: int = 128
    heads: int = 8
    layers: int = 3
    feedforward: int = 512
    directions: int = 4
    radius: int = 8
    auxiliary: bool = False
    most_cached: int | None = None
    geometry: bool = True
    edge_width: int = 16
    communication: int = 1
    clip: float = 10.0
    state: StateKind = "relative"
    direct: bool = True

    def __post_init__(self) -> None:
        faults = Faults()
        choices = {"kind": ("hcvrp", "omdcpdp"), "state": ("relative", "parco")}
        self.check_choices(faults, choices)
        # Beyond these sizes a card asks for more memory than anybody has.
        self.check_ranges(
            faults, width=(1, 4096), heads=(1, 256), layers=(0, 100), feedforward=(1, 65_536),
            directions=(1, 64), radius=(1, 1024), edge_width=(1, 1024), communication=(0, 100),
        )  # fmt: skip
        if self.most_cached is not None and self.most_cached < 1:
            message = "must be 1 or more, or none."
            faults.add("out-of-range", "most_cached", self.most_cached, message)
        self.check_positive(faults, "clip")
        if self.heads >= 1 and self.width % self.heads:
            faults.add("out-of-range", "width", self.width, f"must divide by heads = {self.heads}.")
        faults.raise_if_any()

    @property
    def num_orderings(self) -> int:
        """How many orderings the windows have."""
        return self.directions + self.auxiliary


def parco_config(kind: Kind, **changes: Any) -> NetworkConfig:
    """The base that the paper extends (PARCO, Berto et al. 2025): no windows, its own states."""
    usual: dict[str, Any] = {"geometry": False, "state": "parco", "direct": False}
    return NetworkConfig(kind, **(usual | changes))


@dataclass(frozen=True, slots=True)
class AssignmentConfig(Settings):
    """The conflict-aware assignment (paper, section 4.3 and its table of settings).

    Parameters
    ----------
    proposals
        r: how many actions each agent proposes when conflicts are resolved.
    from_logits, from_cache, from_savings, from_random
        How many candidates each source adds to the pool; random ones only in training.
    pool
        Without it, agents choose among everything that was scored.
    geometric_bonus
        Candidates from the cache are also ranked by the cache (Eq. 22), not only found by it.
    geometry_weight, time_weight, makespan_weight, capacity_weight
        λ_geo, λ_time, λ_mk and λ_cap.
    temperature, exploration
        τ and ε of the training sampler.
    top_in_training
        Sample among the r best only, as Algorithm 1 has it; Eq. 12 has the whole pool.
    least_agents, least_tasks, least_conflict
        Mode ``ca`` resolves conflicts by proposals only from here on.
    """

    what: ClassVar[str] = "assignment"

    proposals: int = 3
    from_logits: int = 4
    from_cache: int = 4
    from_savings: int = 2
    from_random: int = 4
    pool: bool = True
    geometric_bonus: bool = True
    geometry_weight: float = 0.10
    time_weight: float = 0.10
    makespan_weight: float = 0.05
    capacity_weight: float = 1.0
    temperature: float = 1.2
    exploration: float = 0.03
    top_in_training: bool = False
    least_agents: int = 8
    least_tasks: int = 300
    least_conflict: float = 0.03

    def __post_init__(self) -> None:
        faults = Faults()
        if self.proposals < 1:
            faults.add("out-of-range", "proposals", self.proposals, "must be 1 or more.")
        for name in ("from_logits", "from_cache", "from_savings", "from_random", "least_agents",
                     "least_tasks", "least_conflict"):  # fmt: skip
            if not getattr(self, name) >= 0:
                faults.add("out-of-range", name, getattr(self, name), "must be 0 or more.")
        if self.pool and not self.from_logits:
            message = "must be 1 or more: else an agent may find nothing that it is allowed to do."
            faults.add("out-of-range", "from_logits", self.from_logits, message)
        self.check_positive(faults, "temperature")
        if not 0.0 <= self.exploration < 1.0:
            faults.add("out-of-range", "exploration", self.exploration, "must be in [0, 1).")
        faults.raise_if_any()

    @property
    def has_soft_costs(self) -> bool:
        """Whether Ω of Eq. 23 counts."""
        return any((self.time_weight, self.makespan_weight, self.capacity_weight))

    @classmethod
    def of_paper(cls, kind: Kind, **changes: Any) -> Self:
        """The paper's settings for a problem, with changes."""
        own: dict[str, Any] = {}
        if kind == "omdcpdp":
            own = {"capacity_weight": 0.0, "least_agents": 5, "least_tasks": 20}
        return cls(**(own | changes))


# The variants of the paper's internal ablation of the assignment; ``paper`` is its full form.
ASSIGNMENT_VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "logit-cf": {"from_cache": 0, "from_savings": 0, "geometric_bonus": False},
    "geopool": {"from_savings": 0, "geometric_bonus": False},
    "geoscore": {"from_savings": 0},
    "full-without-cache": {"from_cache": 0},
    # Conflict-free sampling by the network's own probabilities over all that it scored.
    "plain": {
        "pool": False, "geometry_weight": 0.0, "time_weight": 0.0, "makespan_weight": 0.0,
        "capacity_weight": 0.0, "temperature": 1.0, "exploration": 0.0,
    },
}  # fmt: skip

Mode = Literal["greedy", "ca", "ca-always", "sample"]
MODES: tuple[Mode, ...] = ("greedy", "ca", "ca-always", "sample")


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the network's scores become plans, when nobody says otherwise: part of its card."""

    mode: Mode
    assignment: AssignmentConfig

    @classmethod
    def of_paper(cls, kind: Kind) -> Self:
        """Greedy, as in the paper's main tables."""
        return cls("greedy", AssignmentConfig.of_paper(kind))

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return {"mode": self.mode, "assignment": dataclasses.asdict(self.assignment)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The inverse of :meth:`to_json`.

        Raises
        ------
        geopar.errors.InputError
            For a mode or a setting that does not exist.
        """
        faults, mode = Faults(), values.get("mode")
        if mode not in MODES:
            faults.add("unknown-value", "mode", mode, "is no way to decode.", f"One of {MODES}.")
        faults.raise_if_any()
        return cls(mode, AssignmentConfig.from_json(values.get("assignment", {})))  # type: ignore[arg-type]
