"""Every setting of the network and of the assignment, with the paper's defaults.

The variants of the paper's ablations and our own extensions are values here, not forks of code.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from geopar.errors import Faults
from geopar.problems.setting import Kind


@dataclass(frozen=True, slots=True)
class ModelConfig:
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
        The sparse edge-biased branch of Eqs. 4 and 5.
    edge_width
        Width of the edge descriptor.
    attention
        The encoder layers look at everybody (``dense``) or along the windows (``windowed``).
    pointer
        The paper's encoder, queries and pointer. Without them the edge-biased pointer decides
        alone.
    communication
        Blocks in which the active agents talk before they point (Eq. 7).
    clip
        β of Eq. 8.
    fleet_features
        Agent and environment states relative to the fleet and to an estimate of the outcome;
        without it those of PARCO.
    reach
        The pointer scores every open task (``full``), or ``reach_size`` near each agent and a few
        for all (``windowed``).
    reach_source
        Where the near ones come from: the nearest open tasks, or the projection windows.
    reach_size
        Tasks that an agent looks at in windowed reach.
    edge_pointer
        Our edge-biased pointer: relative terms of each agent-task pair added to the logit.
    pair_width
        Its hidden width.
    pair_layers, pair_heads
        Attention layers among the candidates of an agent, biased by the distances between them:
        a small encoder of what lies around the agent.
    pair_talk
        Layers in which the active agents exchange what they see before they decide.
    sketches
        The edge-biased pointer sees the best of so many plans by insertion; none: no such plan.
    turns
        How many vehicles may leave a common depot in one step, those first who would be home
        again soonest; none: all that want. So a depot of four hundred looks like one of eight.
    waits
        A vehicle without orders on board may let others go first, unless nobody has any and it
        would be the soonest at a free pickup. The paper's rules send out all that can do something.
    inserts
        A customer of HCVRP is put where it makes the vehicle's open trip the least longer, not
        behind the one before. In OMDCPDP a step is a whole order, put into a route where it costs
        least.
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
    attention: Literal["dense", "windowed"] = "dense"
    pointer: bool = True
    communication: int = 1
    clip: float = 10.0
    fleet_features: bool = True
    reach: Literal["full", "windowed"] = "windowed"
    reach_source: Literal["nearest", "windows"] = "nearest"
    reach_size: int = 32
    edge_pointer: bool = True
    pair_width: int = 64
    pair_layers: int = 0
    pair_heads: int = 4
    pair_talk: int = 0
    sketches: int = 0
    turns: int = 0
    waits: bool = False
    inserts: bool = False

    def __post_init__(self) -> None:
        faults = Faults()
        choices = {
            "kind": ("hcvrp", "omdcpdp"),
            "attention": ("dense", "windowed"),
            "reach": ("full", "windowed"),
            "reach_source": ("nearest", "windows"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                value, hint = getattr(self, name), f"Maybe one of: {', '.join(allowed)}."
                faults.add("unknown-value", name, value, "is not known here.", hint)
        for name, low in (
            ("width", 1), ("heads", 1), ("layers", 0), ("feedforward", 1), ("directions", 1),
            ("radius", 1), ("edge_width", 1), ("communication", 0), ("reach_size", 1),
            ("pair_width", 1), ("pair_layers", 0), ("pair_heads", 1), ("pair_talk", 0),
            ("sketches", 0), ("turns", 0),
        ):  # fmt: skip
            if not getattr(self, name) >= low:
                faults.add("out-of-range", name, getattr(self, name), f"must be {low} or more.")
        if self.heads >= 1 and self.width % self.heads:
            faults.add("out-of-range", "width", self.width, f"must divide by heads = {self.heads}.")
        if self.pair_heads >= 1 and self.pair_width % self.pair_heads:
            message = f"must divide by pair_heads = {self.pair_heads}."
            faults.add("out-of-range", "pair_width", self.pair_width, message)
        if not (self.pointer or self.edge_pointer):
            hint = "Switch on pointer or edge_pointer."
            faults.add("nothing-to-score", "pointer", False, "and edge_pointer are both off.", hint)
        if self.sketches and not self.edge_pointer:
            hint = "Switch on edge_pointer."
            faults.add("nothing-to-see", "sketches", self.sketches, "are seen by it alone.", hint)
        if self.sketches and self.inserts and self.kind == "omdcpdp":
            faults.add(
                "not-together", "sketches", self.sketches,
                "are followed stop by stop, and with inserts whole orders are planned.",
                "Switch off one of them.",
            )  # fmt: skip
        faults.raise_if_any()

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
        values = ADDED_LATER | values
        for name in values.keys() - known:
            faults.add("unknown-setting", name, values[name], "is no setting of the network.")
        for name in known - values.keys():
            faults.add("missing-setting", name, ..., "is missing.")
        faults.raise_if_any()
        return cls(**values)


# Settings that older cards do not have, with what they meant without saying it.
ADDED_LATER: dict[str, Any] = {
    "pair_layers": 0, "pair_heads": 4, "pair_talk": 0, "sketches": 0, "turns": 0, "waits": False,
    "inserts": False,
}  # fmt: skip


def paper_config(kind: Kind) -> ModelConfig:
    """The paper's GeoPAR: full reach, dense layers, no edge-biased pointer."""
    return ModelConfig(kind, reach="full", edge_pointer=False, fleet_features=False)


def parco_config(kind: Kind) -> ModelConfig:
    """The base that the paper extends (PARCO, Berto et al. 2025): no windows either."""
    return dataclasses.replace(paper_config(kind), geometry=False)


def local_config(kind: Kind) -> ModelConfig:
    """Our edge-biased pointer alone: no encoder, what an agent sees is the same at every size."""
    return ModelConfig(kind, pointer=False, geometry=False, turns=8, waits=True, inserts=True)


def guided_config(kind: Kind) -> ModelConfig:
    """The same, with a sketch of the whole plan to follow or to leave."""
    return dataclasses.replace(local_config(kind), sketches=8, turns=0, waits=False, inserts=False)


PRESETS = {
    "default": ModelConfig,
    "paper": paper_config,
    "parco": parco_config,
    "local": local_config,
    "guided": guided_config,
}


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
