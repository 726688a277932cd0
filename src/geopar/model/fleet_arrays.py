"""Instances, states and looks as compiled rollouts take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.model.configuration import ModelConfig
from geopar.model.hcvrp_features import HCVRPScene
from geopar.model.hcvrp_fleet_kernel import HCVRPStates, HCVRPTables
from geopar.model.insertion_features import InsertionScene
from geopar.model.insertion_kernel import InsertionStates, InsertionTables
from geopar.model.look import FeatureSizes, Seen
from geopar.model.product_kernel import ROWS, padded
from geopar.problems.environment import Environment
from geopar.problems.hcvrp.environment import HCVRPEnvironment
from geopar.problems.omdcpdp.insertion import InsertionEnvironment

# What orders cost whom is noted up to so many numbers of eight bytes.
MOST_NOTES = 50_000_000


def feature_sizes(config: ModelConfig) -> FeatureSizes:
    """How many features a look has."""
    sizes: FeatureSizes = (HCVRPScene if config.kind == "hcvrp" else InsertionScene).SIZES
    return sizes


def instances_of(
    environment: Environment[Any], config: ModelConfig
) -> HCVRPTables | InsertionTables:
    """The instances."""
    if environment.inserts != config.inserts:
        raise ValueError("the environment's rules are not those of the network")
    if isinstance(environment, InsertionEnvironment):
        return InsertionTables(*InsertionScene.of(environment).arrays)
    assert isinstance(environment, HCVRPEnvironment)
    return HCVRPTables(*HCVRPScene.of(environment, config.turns).arrays)


def states_of(environment: Environment[Any], state: Any) -> Any:
    """Arrays that share their memory with the tensors of a first state, ``(B·R, …)``."""

    def rows(*names: str) -> list[NDArray[Any]]:
        return [getattr(state, name).flatten(0, 1).numpy() for name in names]

    if isinstance(environment, HCVRPEnvironment):
        found = rows("place", "position", "length", "left", "open", "steps")
        # Nobody has been anywhere, so all have the most room that they ever have.
        roomy = state.left.flatten(0, 1).numpy().copy()
        return HCVRPStates._make([*found, roomy, *rows("start", "follow")])
    assert isinstance(environment, InsertionEnvironment)
    planned = rows("place", "position", "length", "start", "follow", "arrivals", "open", "steps")
    fleet_shape = planned[0].shape
    notes = (*fleet_shape, environment.batch.num_orders)
    if np.prod(notes) > MOST_NOTES:
        fleet_shape, notes = (0, 0), (0, 0, 0)
    return InsertionStates._make([*planned, np.empty(notes), np.zeros(fleet_shape, np.bool_)])


def room_for(config: ModelConfig, environment: Environment[Any]) -> Seen:
    """Arrays for what is seen in one state."""
    batch, sizes = environment.batch, feature_sizes(config)
    fleet = (1, batch.num_vehicles)
    columns = (*fleet, min(config.reach_size, batch.num_tasks) + 1)

    def zeros(shape: tuple[int, ...], count: int) -> NDArray[np.float32]:
        return np.zeros((*shape, padded(count, ROWS)), dtype=np.float32)

    return Seen(
        candidates=np.empty(columns, dtype=np.int64),
        feasible=np.empty(columns, dtype=np.bool_),
        agents=zeros(fleet, sizes.agents),
        fleet=zeros((1,), sizes.fleet),
        active=np.empty(fleet, dtype=np.bool_),
        pairs=zeros(columns, sizes.pairs),
    )
