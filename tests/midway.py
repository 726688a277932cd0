"""States in the middle of random rollouts, and what our network sees of them."""

from typing import Any

import numpy as np
import torch

from geopar.compiled.jit import compiled
from geopar.pointer.config import PointerConfig
from geopar.pointer.instances import new_observation, states_of, tables_of
from geopar.pointer.network import PointerNetwork
from geopar.pointer.observation import feature_sizes
from geopar.pointer.transitions import observe
from geopar.problems.batch import make_batch
from geopar.problems.environment import Environment, make_environment
from geopar.problems.random import generate
from oracles.hcvrp import HCVRPOracle
from oracles.observed import Observed
from oracles.omdcpdp import OMDCPDPOracle
from rollouts import random_joint_action

SMALL: dict[str, Any] = {"width": 8, "reach": 5, "turns": 0}


def network_for(kind: str, **changes: Any) -> PointerNetwork:
    """A small network of ours that has learned nothing."""
    return PointerNetwork.untrained(PointerConfig(kind, **(SMALL | changes)))  # type: ignore[arg-type]


def midway(setting: str, steps: int, count: int = 2, rollouts: int = 2) -> tuple[Any, Any]:
    """Random instances, and states of each after some random steps."""
    batch = make_batch([generate(setting, k) for k in range(count)])
    environment = make_environment(batch, inserts=True)
    generator = torch.Generator().manual_seed(7)
    state = environment.reset(rollouts)
    for _ in range(steps):
        mask = environment.mask(state)
        state = environment.step(state, random_joint_action(mask, state.place, generator))
    return environment, state


@compiled(allocates=True)
def _observe(tables: Any, states: Any, b: int, s: int, observation: Any) -> None:
    observe(tables, states, b, s, observation)


def observed(config: PointerConfig, environment: Environment[Any], state: Any) -> Observed:
    """What compiled code sees of ``(B, R)`` states."""
    batch, sizes = environment.batch, feature_sizes(config.kind)
    tables, states = tables_of(batch, config), states_of(batch.kind, state)
    lead = tuple(state.place.shape[:2])
    seen: list[Any] = []
    for s in range(lead[0] * lead[1]):
        observation = new_observation(config, batch)
        _observe(tables, states, s // lead[1], s, observation)
        seen.append(observation)
    counts = {"agents": sizes.agents, "fleet": sizes.fleet, "pairs": sizes.pairs}
    parts = {}
    for name in Observed._fields:
        rows = torch.from_numpy(np.stack([getattr(one, name) for one in seen]))
        parts[name] = rows[..., : counts.get(name)].unflatten(0, lead)
    return Observed(**parts)


def oracle_of(config: PointerConfig, environment: Any) -> HCVRPOracle | OMDCPDPOracle:
    """What tensor operations see, to compare with."""
    if config.kind == "hcvrp":
        return HCVRPOracle(environment, config)
    return OMDCPDPOracle(environment, config)
