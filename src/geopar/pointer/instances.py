"""Instances and states as compiled rollouts take them, whichever the problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.products import ROWS, padded
from geopar.pointer.config import PointerConfig
from geopar.pointer.hcvrp import tables as hcvrp
from geopar.pointer.observation import Observation, feature_sizes
from geopar.pointer.omdcpdp import tables as omdcpdp
from geopar.problems.batch import Batch

_OF: dict[str, Any] = {"hcvrp": hcvrp, "omdcpdp": omdcpdp}


def tables_of(batch: Batch, config: PointerConfig) -> Any:
    """The tables of a batch, a ``Tables`` of its problem."""
    rules = {} if config.inserts else {"inserts": False}
    return _OF[batch.kind].tables_of(batch, config.turns, **rules)


def states_of(kind: str, state: Any) -> Any:
    """Arrays ``(B·R, …)`` that share their memory with the tensors of a first state."""
    return _OF[kind].states_of(state)


def new_observation(config: PointerConfig, batch: Batch) -> Observation:
    """Buffers for what is seen of one state of a batch."""
    sizes, fleet = feature_sizes(config.kind), batch.num_vehicles
    columns = (fleet, min(config.reach, batch.num_tasks) + 1)

    def zeros(*shape: int) -> NDArray[np.float32]:
        return np.zeros((*shape[:-1], padded(shape[-1], ROWS)), dtype=np.float32)

    return Observation(
        candidates=np.empty(columns, dtype=np.int64),
        feasible=np.empty(columns, dtype=np.bool_),
        active=np.empty(fleet, dtype=np.bool_),
        agents=zeros(fleet, sizes.agents),
        fleet=zeros(sizes.fleet),
        pairs=zeros(*columns, sizes.pairs),
    )
