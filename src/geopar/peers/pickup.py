"""What HAM and MAPDP share: how the vehicles of OMDCPDP see themselves, and how they point.

Tokens are the tasks, pickups first, and then the vehicles' starts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from geopar.neural.conflicts import Scores
from geopar.peers.parallel import ParallelEncoded, all_tasks
from geopar.peers.pointer import GlimpsePointer, PointerKeys, with_one_home, with_own_homes
from geopar.problems.batch import OMDCPDPBatch
from geopar.problems.environment import Environment
from geopar.problems.tensors import take

# How far it has driven, and how many orders it carries.
NUM_AGENT_FEATURES = 2


class PickupMemory(NamedTuple):
    """Instances, encoded.

    Parameters
    ----------
    here
        ``(B, N + M, d)``: the part of a query that comes from where an agent is.
    keys
        Of the pointer.
    summary
        ``(B, 1, d)``: the part of a query that is the same for all agents, or zero.
    """

    here: Tensor
    keys: PointerKeys
    summary: Tensor


def as_omdcpdp(environment: Environment[Any]) -> OMDCPDPBatch:
    """The instances of an environment, for peers that can do nothing else."""
    batch = environment.batch
    assert isinstance(batch, OMDCPDPBatch)
    return batch


def agent_features(state: Any) -> Tensor:
    """``(B, R, M, 2)``."""
    return torch.stack([state.length, state.load.to(state.length.dtype)], -1)


def where_they_are(memory: PickupMemory, state: Any) -> Tensor:
    """``(B, R, M, d)``: ``memory.here`` of every agent's place, its own start when at home."""
    count = state.place.shape[-1]
    home = memory.here.shape[1] - count
    own = home + torch.arange(count, device=state.place.device)
    return take(memory.here, torch.where(state.place == home, own, state.place))


def point(pointer: GlimpsePointer, encoded: ParallelEncoded, state: Any, query: Tensor) -> Scores:
    """Scores of ``(B, R, M, d)`` queries."""
    mask = with_own_homes(encoded.environment.mask(state))
    logits = pointer(encoded.memory.keys, query.flatten(1, 2), mask)
    return all_tasks(with_one_home(logits, query.shape[2]))
