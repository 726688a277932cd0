"""What our pointer would do in every state of rollouts that another network made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from geopar.pointer.network import PointerNetwork
from geopar.problems.batch import Batch
from geopar.problems.environment import make_environment
from geopar.problems.tensors import map_tensors


class Opinion(NamedTuple):
    """Tasks ``(B, T, R, M, K)``, N for home, and logits, −∞ for what was not looked at."""

    candidates: Tensor
    logits: Tensor


@torch.no_grad()
def opinion(network: PointerNetwork, batch: Batch, actions: Tensor) -> Opinion:
    """The network's logits before each step of some rollouts of each instance.

    Parameters
    ----------
    network
        Of the rules that the rollouts were made by.
    batch
        The instances.
    actions
        ``(B, T, R, M)``: what was done, N for home and N + 1 for staying.
    """
    from geopar.pointer import buffers
    from geopar.pointer.instances import new_observation, states_of, tables_of
    from geopar.pointer.parameters import forward_weights
    from geopar.pointer.replay_kernel import ReplayLog, replay

    config = network.config
    size, steps, rollouts, fleet = actions.shape
    # The compiled step keeps open trips, whether customers are inserted into them or appended.
    state = map_tensors(make_environment(batch, inserts=True).reset(rollouts), torch.clone)
    observation = new_observation(config, batch)
    columns = observation.feasible.shape[1]
    shape = (size * rollouts, steps, fleet)
    log = ReplayLog(
        actions.transpose(1, 2).reshape(shape).contiguous().numpy(),
        np.empty((*shape, columns), dtype=np.int64),
        np.empty((*shape, columns), dtype=np.float32),
    )
    replay(
        tables_of(batch, config),
        states_of(batch.kind, state),
        forward_weights(network),
        observation,
        buffers.new_score_scratch(config),
        buffers.new_choices(config, fleet, fleet * columns),
        log,
    )
    parts = (torch.from_numpy(array) for array in (log.candidates, log.logits))
    return Opinion(*(t.view(size, rollouts, *t.shape[1:]).transpose(1, 2) for t in parts))
