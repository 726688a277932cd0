"""Whole rollouts in compiled code: what the edge-biased pointer alone builds greedily on a CPU.

The plans are those of a rollout step by step, unless two scores differ by rounding alone.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from geopar.model.configuration import ModelConfig
from geopar.model.decoder import EdgePointer
from geopar.model.hcvrp_features import HCVRPScene
from geopar.model.look import FeatureSizes
from geopar.model.policy import Policy
from geopar.model.sketch import ADDED, sketch_of
from geopar.problems.hcvrp.environment import HCVRPEnvironment
from geopar.problems.tensors import map_tensors

# Between two looks at the clock so many agents act, which takes some milliseconds.
HASTY = 200
# Without a clock so many steps are made in one go; most instances are done by then.
STEPS = 64
NOTHING_ADDED = FeatureSizes(0, 0, 0, 0)


def can_roll_out(config: ModelConfig) -> bool:
    """Whether a network is the edge-biased pointer alone, with nothing between its two layers."""
    return (
        config.kind == "hcvrp"
        and config.edge_pointer
        and not (config.pointer or config.pair_layers or config.pair_talk)
        and (config.reach, config.reach_source) == ("windowed", "nearest")
    )


class Rollout:
    """One greedy rollout of every instance.

    Parameters
    ----------
    policy
        A network of which :func:`can_roll_out` is true, on a CPU.
    environment
        The instances.
    """

    def __init__(self, policy: Policy, environment: HCVRPEnvironment) -> None:
        from geopar.model.rollout_kernel import States, Tables

        self.environment = environment
        # Its own memory: a fresh state may share some with the environment.
        self.state = map_tensors(environment.reset(), torch.clone)
        self._pieces: list[NDArray[np.int64]] = []
        state, scene = self.state, HCVRPScene.of(environment)
        self._arguments: tuple[Any, ...] = (
            Tables(*scene.arrays),
            sketches_for(policy.config.sketches, environment, scene),
            States(
                *(
                    tensor[:, 0].numpy()
                    for tensor in (
                        state.place,
                        state.position,
                        state.length,
                        state.left,
                        state.open,
                        state.steps,
                        state.left.clone(),
                    )
                )
            ),
            _scorer(policy.edge_pointer, policy.config),
            room_for(policy.config, environment),
        )

    def go_on(self, hasty: bool = False) -> bool:
        """Some steps more, few if somebody looks at the clock; whether all instances are done."""
        from geopar.model.rollout_kernel import roll_out

        batch = self.environment.batch
        steps = max(1, HASTY // (batch.size * batch.num_vehicles)) if hasty else STEPS
        piece = np.empty((batch.size, steps, batch.num_vehicles), dtype=np.int64)
        self._pieces.append(piece)
        return not roll_out(*self._arguments, piece)

    def routes(self, instance: int, rollout: int = 0) -> list[list[list[int]]]:
        """For each vehicle its trips of task indices, without empty ones."""
        home = self.environment.batch.num_tasks
        routes: list[list[list[int]]] = []
        for actions in np.concatenate([piece[instance] for piece in self._pieces]).T.tolist():
            trips: list[list[int]] = [[]]
            for task in actions:
                if task < home:
                    trips[-1].append(task)
                elif task == home and trips[-1]:
                    trips.append([])
            routes.append([trip for trip in trips if trip])
        return routes


def sketches_for(tries: int, environment: HCVRPEnvironment, scene: HCVRPScene) -> Any:
    """The sketches as compiled code takes them."""
    from geopar.model.rollout_kernel import Sketches

    if tries:
        sketch = sketch_of(environment, tries)
        return Sketches._make((*sketch.arrays, scene.pace.contiguous().numpy()))
    whole, single, double = (np.empty((0, 1), kind) for kind in (np.int64, np.float32, np.float64))
    return Sketches(whole, whole, whole, whole, whole, single, double, single)


_scorers: WeakKeyDictionary[EdgePointer, tuple[Any, Any]] = WeakKeyDictionary()


def _scorer(pointer: EdgePointer, config: ModelConfig) -> Any:
    """The weights as compiled code takes them, made again only when they have changed."""
    state = [(weight.data_ptr(), weight._version) for weight in pointer.parameters()]
    known = _scorers.get(pointer)
    if known is None or known[0] != state:
        known = state, _make_scorer(pointer, config)
        _scorers[pointer] = known
    return known[1]


def _make_scorer(pointer: EdgePointer, config: ModelConfig) -> Any:
    """The weights with inputs first, cut into what the look fills and what a sketch adds."""
    from geopar.model.scorer_kernel import Scorer

    sizes = HCVRPScene.SIZES
    added = ADDED if config.sketches else NOTHING_ADDED

    def rows(weight: Tensor, *counts: int) -> list[NDArray[np.float32]]:
        parts = weight.detach().float().mT.split(counts)
        return [F.pad(part, (0, 0, 0, _spare(len(part)))).contiguous().numpy() for part in parts]

    def row(vector: Tensor) -> NDArray[np.float32]:
        array: NDArray[np.float32] = vector.detach().float().contiguous().numpy()
        return array

    width = config.pair_width
    weights = (
        *rows(pointer.pair.weight, sizes.pairs, added.pairs),
        *rows(pointer.agent.weight, sizes.agents, added.agents, sizes.fleet, added.fleet),
        row(pointer.agent.bias),
        *rows(pointer.agent_out.weight, width),
        row(pointer.agent_out.bias),
        *rows(pointer.pooled.weight, width, width),
        *rows(pointer.inner.weight, width),
        row(pointer.inner.bias),
        row(pointer.out.weight[0]),
    )
    return Scorer._make((*weights, float(pointer.clip)))


def _spare(count: int) -> int:
    """How many zeros fill it up."""
    from geopar.model.scorer_kernel import LANES

    return -count % LANES


def room_for(config: ModelConfig, environment: HCVRPEnvironment) -> Any:
    """Arrays for what is seen in one state."""
    from geopar.model.scorer_kernel import Seen

    batch = environment.batch
    fleet = (1, batch.num_vehicles)
    columns = (*fleet, min(config.reach_size, batch.num_tasks) + 1)

    def zeros(shape: tuple[int, ...], count: int) -> NDArray[np.float32]:
        return np.zeros((*shape, count + _spare(count)), dtype=np.float32)

    def parts(sizes: FeatureSizes) -> dict[str, NDArray[np.float32]]:
        return {
            "agents": zeros(fleet, sizes.agents),
            "fleet": zeros((1,), sizes.fleet),
            "pairs": zeros(columns, sizes.pairs),
        }

    added = parts(ADDED if config.sketches else NOTHING_ADDED)
    return Seen(
        candidates=np.empty(columns, dtype=np.int64),
        feasible=np.empty(columns, dtype=np.bool_),
        active=np.empty(fleet, dtype=np.bool_),
        dynamic=np.empty((*columns, HCVRPScene.SIZES.dynamic), dtype=np.float32),
        **parts(HCVRPScene.SIZES),
        **{f"{name}_added": array for name, array in added.items()},
    )
