"""Weights that were saved when the network was told less: new features count for nothing.

A column of zeros for each feature that came later makes them what they were.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.model.configuration import ModelConfig
from geopar.model.fleet_arrays import feature_sizes
from geopar.model.look import FeatureSizes

# What the older formats were told.
OLDER_SIZES = {
    1: {
        "hcvrp": FeatureSizes(agents=12, fleet=8, dynamic=3, pairs=20),
        "omdcpdp": FeatureSizes(agents=9, fleet=7, dynamic=3, pairs=22),
    },
    2: {
        "hcvrp": FeatureSizes(agents=16, fleet=8, dynamic=3, pairs=23),
        "omdcpdp": FeatureSizes(agents=11, fleet=7, dynamic=3, pairs=28),
    },
    3: {
        "hcvrp": FeatureSizes(agents=16, fleet=8, dynamic=3, pairs=23),
        "omdcpdp": FeatureSizes(agents=11, fleet=7, dynamic=3, pairs=37),
    },
}


def widened(tensors: dict[str, Tensor], config: ModelConfig, written: int) -> dict[str, Tensor]:
    """Tensors that were written in an older format as the network of today takes them."""
    old, new = OLDER_SIZES[written][config.kind], feature_sizes(config)[0]
    columns = {
        "edge_pointer.pair.weight": (old.pairs, new.pairs),
        "edge_pointer.agent.weight": (old.agents, new.agents),
    }
    if config.fleet_features:
        columns["pointer.query_agent.weight"] = (old.agents, new.agents)
    result = dict(tensors)
    for name in columns.keys() & tensors.keys():
        had, has = columns[name]
        # Other features follow: those of the fleet, and what a sketch adds.
        kept, others = tensors[name][:, :had], tensors[name][:, had:]
        result[name] = torch.cat([F.pad(kept, (0, has - had)), others], 1)
    return result
