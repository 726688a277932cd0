"""Every setting of the networks and of the assignment, with the paper's defaults.

The variants of the paper's ablations are values here, not forks of code.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from geopar.errors import Faults
from geopar.problems.setting import Kind


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A network: the paper's, or ours.

    Parameters
    ----------
    kind
        The problem that it is for.
    pointer
        The paper's encoder, queries and pointer, which score every open task. Without them our
        edge-biased pointer decides, from relative features of each agent and what lies near it.
    clip
        β of Eq. 8; ours keeps its logits within it, too.
    width, heads, layers, feedforward
        Of the paper's encoder and, where they apply, of the communication block.
    directions, radius
        q and w of the projection windows.
    auxiliary
        Add the task-native ordering to the windows.
    most_cached
        K of Eq. 3; none keeps all slots.
    geometry
        The sparse edge-biased branch of Eqs. 4 and 5.
    edge_width
        Width of the edge descriptor.
    communication
        Blocks in which the active agents talk before they point (Eq. 7).
    reach_size
        Of ours: tasks that an agent looks at.
    pair_width
        Of ours: its hidden width.
    turns
        Of ours, for HCVRP: how many vehicles may leave the depot in one step, those first who would
        be home again soonest; none: all that want. So a depot of four hundred looks like one of
        eight.
    """

    kind: Kind
    pointer: bool = True
    clip: float = 10.0
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
    reach_size: int = 32
    pair_width: int = 64
    turns: int = 0

    def __post_init__(self) -> None:
        faults = Faults()
        if self.kind not in ("hcvrp", "omdcpdp"):
            hint = "Maybe one of: hcvrp, omdcpdp."
            faults.add("unknown-value", "kind", self.kind, "is not known here.", hint)
        for name, low in (
            ("width", 1), ("heads", 1), ("layers", 0), ("feedforward", 1), ("directions", 1),
            ("radius", 1), ("edge_width", 1), ("communication", 0), ("reach_size", 1),
            ("pair_width", 1), ("turns", 0),
        ):  # fmt: skip
            if not getattr(self, name) >= low:
                faults.add("out-of-range", name, getattr(self, name), f"must be {low} or more.")
        if self.heads >= 1 and self.width % self.heads:
            faults.add("out-of-range", "width", self.width, f"must divide by heads = {self.heads}.")
        if self.turns and (self.pointer or self.kind == "omdcpdp"):
            message = "is for our network on HCVRP alone, and must be 0 elsewhere."
            faults.add("out-of-range", "turns", self.turns, message)
        faults.raise_if_any()

    @property
    def inserts(self) -> bool:
        """Whether what was decided is put where it costs least, as ours does.

        A customer of HCVRP comes where it makes the vehicle's open trip the least longer, and a
        step of OMDCPDP is a whole order, put into a route. In the paper one task comes behind the
        other.
        """
        return not self.pointer

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ModelConfig:
        """The inverse of :meth:`to_json`.

        Raises
        ------
        geopar.errors.InputError
            For unknown or missing names.
        """
        faults, known = Faults(), {field.name for field in dataclasses.fields(cls)}
        for name in values.keys() - known:
            faults.add("unknown-setting", name, values[name], "is no setting of the network.")
        for name in known - values.keys():
            faults.add("missing-setting", name, ..., "is missing.")
        faults.raise_if_any()
        return cls(**values)


def paper_config(kind: Kind) -> ModelConfig:
    """The paper's GeoPAR."""
    return ModelConfig(kind)


def parco_config(kind: Kind) -> ModelConfig:
    """The base that the paper extends (PARCO, Berto et al. 2025): no windows."""
    return ModelConfig(kind, geometry=False)


def local_config(kind: Kind) -> ModelConfig:
    """Our edge-biased pointer: no encoder, what an agent sees is the same at every size."""
    return ModelConfig(kind, pointer=False, geometry=False, turns=8 if kind == "hcvrp" else 0)


PRESETS = {"local": local_config, "paper": paper_config, "parco": parco_config}


@dataclass(frozen=True, slots=True)
class AssignmentConfig:
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
    least_agents, least_tasks, least_conflict
        Mode ``ca`` resolves conflicts by proposals only from here on.
    """

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
    least_agents: int = 8
    least_tasks: int = 300
    least_conflict: float = 0.03

    @property
    def is_plain(self) -> bool:
        """Whether proposals are what the network scores, by its own probabilities."""
        weights = (self.time_weight, self.makespan_weight, self.capacity_weight)
        return not self.pool and not any(weights)

    @classmethod
    def of_paper(cls, kind: Kind, **changes: Any) -> AssignmentConfig:
        """The paper's settings for a problem, with changes."""
        own: dict[str, Any] = {}
        if kind == "omdcpdp":
            own = {"capacity_weight": 0.0, "least_agents": 5, "least_tasks": 20}
        return cls(**(own | changes))


# The variants of the paper's internal ablation of the assignment.
ASSIGNMENT_VARIANTS: dict[str, dict[str, Any]] = {
    "full": {},
    "logit-cf": {"from_cache": 0, "from_savings": 0, "geometric_bonus": False},
    "geopool": {"from_savings": 0, "geometric_bonus": False},
    "geoscore": {"from_savings": 0},
    "full-without-cache": {"from_cache": 0},
    # Ours: no pool and no soft costs, the network's own probabilities over all that it scored.
    "plain": {
        "pool": False, "geometry_weight": 0.0, "time_weight": 0.0, "makespan_weight": 0.0,
        "capacity_weight": 0.0, "temperature": 1.0, "exploration": 0.0,
    },
}  # fmt: skip

Mode = Literal["greedy", "ca", "ca-always", "sample"]
MODES: tuple[Mode, ...] = ("greedy", "ca", "ca-always", "sample")


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a network's scores become plans, when nobody says otherwise: part of its card."""

    mode: Mode
    assignment: AssignmentConfig

    @classmethod
    def of_paper(cls, kind: Kind) -> Decoding:
        """Greedy, as in the paper's main tables."""
        return cls("greedy", AssignmentConfig.of_paper(kind))

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return {"mode": self.mode, "assignment": dataclasses.asdict(self.assignment)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Decoding:
        """The inverse of :meth:`to_json`.

        Raises
        ------
        geopar.errors.InputError
            For a mode or a setting that does not exist.
        """
        faults, mode = Faults(), values.get("mode")
        assignment = values.get("assignment", {})
        if mode not in MODES:
            faults.add("unknown-value", "mode", mode, "is no way to decode.", f"One of {MODES}.")
        known = {field.name for field in dataclasses.fields(AssignmentConfig)}
        for name in sorted(assignment.keys() - known):
            faults.add("unknown-setting", name, assignment[name], "is none of the assignment.")
        faults.raise_if_any()
        return cls(mode, AssignmentConfig(**assignment))  # type: ignore[arg-type]
