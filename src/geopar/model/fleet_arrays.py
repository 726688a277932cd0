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
from geopar.model.omdcpdp_features import OMDCPDPScene
from geopar.model.omdcpdp_fleet_kernel import OMDCPDPStates, OMDCPDPTables
from geopar.model.product_kernel import ROWS, padded
from geopar.model.sketch import ADDED, Sketches, sketch_of
from geopar.problems.environment import Environment
from geopar.problems.hcvrp.environment import HCVRPEnvironment
from geopar.problems.omdcpdp.environment import OMDCPDPEnvironment
from geopar.problems.omdcpdp.insertion import InsertionEnvironment

# What orders cost whom is noted up to so many numbers of eight bytes.
MOST_NOTES = 50_000_000
NOTHING_ADDED = FeatureSizes(0, 0, 0, 0)


def feature_sizes(config: ModelConfig) -> tuple[FeatureSizes, FeatureSizes]:
    """How many features a look has, and how many a sketch adds."""
    own = HCVRPScene.SIZES if config.kind == "hcvrp" else OMDCPDPScene.SIZES
    if config.kind == "omdcpdp" and config.inserts:
        own = InsertionScene.SIZES
    return own, ADDED if config.sketches else NOTHING_ADDED


def instances_of(environment: Environment[Any], config: ModelConfig) -> tuple[Any, Sketches]:
    """The instances, and the sketch of each if there is one."""
    if environment.inserts != config.inserts:
        raise ValueError("the environment's rules are not those of the network")
    scene: HCVRPScene | OMDCPDPScene
    tables: HCVRPTables | OMDCPDPTables
    whole, single, double = (np.empty((0, 1), kind) for kind in (np.int64, np.float32, np.float64))
    no_sketch = Sketches(whole, whole, whole, whole, whole, single, double, single)
    if isinstance(environment, InsertionEnvironment):
        return InsertionTables(*InsertionScene.of(environment).arrays), no_sketch
    if isinstance(environment, HCVRPEnvironment):
        scene = HCVRPScene.of(environment, config.turns)
        tables = HCVRPTables(*scene.arrays)
    else:
        assert isinstance(environment, OMDCPDPEnvironment)
        scene = OMDCPDPScene.of(environment, config.waits)
        most = environment.most_carried.contiguous().numpy()
        tables = OMDCPDPTables._make((*scene.arrays, most))
    if config.sketches:
        sketch = sketch_of(environment, config.sketches)
        return tables, Sketches._make((*sketch.arrays, scene.pace.contiguous().numpy()))
    return tables, no_sketch


def states_of(environment: Environment[Any], state: Any) -> Any:
    """Arrays that share their memory with the tensors of a first state, ``(B·R, …)``."""

    def rows(*names: str) -> list[NDArray[Any]]:
        return [getattr(state, name).flatten(0, 1).numpy() for name in names]

    if isinstance(environment, HCVRPEnvironment):
        found = rows("place", "position", "length", "left", "open", "steps")
        # Nobody has been anywhere, so all have the most room that they ever have.
        roomy = state.left.flatten(0, 1).numpy().copy()
        return HCVRPStates._make([*found, roomy, *rows("start", "follow")])
    if isinstance(environment, InsertionEnvironment):
        planned = rows(
            "place", "position", "length", "start", "follow", "arrivals", "open", "steps"
        )
        fleet_shape = planned[0].shape
        notes = (*fleet_shape, environment.batch.num_orders)
        if np.prod(notes) > MOST_NOTES:
            fleet_shape, notes = (0, 0), (0, 0, 0)
        return InsertionStates._make(
            [*planned, np.empty(notes), np.zeros(fleet_shape, dtype=np.bool_)]
        )
    fleet = ("place", "position", "length", "load", "carrier", "board")
    return OMDCPDPStates._make(rows(*fleet, "arrivals", "open", "steps"))


def room_for(config: ModelConfig, environment: Environment[Any]) -> Seen:
    """Arrays for what is seen in one state."""
    batch = environment.batch
    fleet = (1, batch.num_vehicles)
    columns = (*fleet, min(config.reach_size, batch.num_tasks) + 1)

    def zeros(shape: tuple[int, ...], count: int) -> NDArray[np.float32]:
        return np.zeros((*shape, padded(count, ROWS)), dtype=np.float32)

    own, added = (
        {
            "agents": zeros(fleet, sizes.agents),
            "fleet": zeros((1,), sizes.fleet),
            "pairs": zeros(columns, sizes.pairs),
        }
        for sizes in feature_sizes(config)
    )
    return Seen(
        candidates=np.empty(columns, dtype=np.int64),
        feasible=np.empty(columns, dtype=np.bool_),
        active=np.empty(fleet, dtype=np.bool_),
        dynamic=np.empty((*columns, feature_sizes(config)[0].dynamic), dtype=np.float32),
        **own,
        **{f"{name}_added": array for name, array in added.items()},
    )
