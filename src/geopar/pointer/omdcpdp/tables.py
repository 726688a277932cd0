"""OMDCPDP as compiled rollouts take it: tables of the instances, and the states of rollouts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from geopar.compiled.jit import inlined
from geopar.pointer.neighbourhood import TINY, Neighbourhood
from geopar.problems.batch import OMDCPDPBatch
from geopar.problems.omdcpdp.insertion import InsertionState
from geopar.problems.tensors import distance

# Driven per order with a few on board at a time, in mean lengths of an order.
LENGTHS_PER_ORDER = 0.5
# Costs of orders in routes are remembered up to so many numbers of eight bytes.
MOST_REMEMBERED = 50_000_000
# Distances from so many pickups at a time, which limits what that takes of memory.
PICKUPS_AT_ONCE = 4096


class Tables(NamedTuple):
    """Instances of one size; pickups come first, then deliveries, then a row for waiting.

    Parameters
    ----------
    tasks
        ``(B, N + 1, …)``, see :class:`geopar.pointer.omdcpdp.columns.Task`.
    near
        ``(B, N, …)``: the nearest other tasks of each.
    capacity
        ``(B, M)``: how many orders each vehicle may have on board.
    scale
        ``(B, …)``, see :class:`geopar.pointer.omdcpdp.columns.Scale`.
    """

    tasks: NDArray[np.float32]
    near: NDArray[np.int64]
    capacity: NDArray[np.int64]
    scale: NDArray[np.float64]


class States(NamedTuple):
    """What is planned, one row for each rollout; changed by it.

    As :class:`geopar.problems.omdcpdp.insertion.InsertionState`, and a cache: ``costs``
    ``(rows, M, N / 2)`` are those of the free orders in the routes for which ``is_cached``
    ``(rows, M)`` is true. Without rows nothing is remembered.
    """

    place: NDArray[np.int64]
    position: NDArray[np.float32]
    length: NDArray[np.float32]
    start: NDArray[np.int64]
    follow: NDArray[np.int64]
    arrivals: NDArray[np.float64]
    is_open: NDArray[np.bool_]
    steps: NDArray[np.int64]
    costs: NDArray[np.float64]
    is_cached: NDArray[np.bool_]


def tables_of(batch: OMDCPDPBatch, turns: int = 0) -> Tables:
    """The tables of a batch; there is no depot at which vehicles would take turns."""
    pickups, deliveries = batch.tasks.chunk(2, 1)
    length = distance(pickups, deliveries)
    mean = length.mean(-1).clamp(min=TINY)
    least = length + _to_the_nearest(pickups, batch.starts)
    numbers = torch.stack([length, least], -1).repeat(1, 2, 1)
    around = Neighbourhood.of(batch.tasks)
    route = mean * (1.0 + LENGTHS_PER_ORDER * batch.num_orders / batch.num_vehicles)
    arrays = (
        F.pad(torch.cat([batch.tasks, numbers], -1), (0, 0, 0, 1)),
        around.index,
        batch.capacity,
        torch.stack([around.spacing, mean, route], -1).double(),
    )
    return Tables._make(array.contiguous().numpy() for array in arrays)


def _to_the_nearest(pickups: Tensor, starts: Tensor) -> Tensor:
    """``(B, N / 2)``: from every pickup to the nearest start."""
    parts = pickups.split(PICKUPS_AT_ONCE, 1)
    return torch.cat([torch.cdist(part, starts).amin(-1) for part in parts], 1)


def states_of(state: InsertionState) -> States:
    """Arrays that share their memory with the tensors of a first state, ``(B·R, …)``."""
    tensors = (
        state.place, state.position, state.length, state.start, state.follow, state.arrivals,
        state.open, state.steps,
    )  # fmt: skip
    rows = [tensor.flatten(0, 1).numpy() for tensor in tensors]
    fleet_shape = rows[0].shape
    costs_shape: tuple[int, ...] = (*fleet_shape, state.open.shape[-1] // 2)
    if np.prod(costs_shape) > MOST_REMEMBERED:
        fleet_shape, costs_shape = (0, 0), (0, 0, 0)
    return States._make([*rows, np.empty(costs_shape), np.zeros(fleet_shape, dtype=np.bool_)])


@inlined(allocates=True)
def instance_at(tables: Tables, b: int) -> Tables:
    """One instance: the same without the first dimension."""
    return Tables(tables.tasks[b], tables.near[b], tables.capacity[b], tables.scale[b])


@inlined(allocates=True)
def state_at(states: States, s: int) -> States:
    """One state: the same without the first dimension, but for sums, steps and cached costs.

    ``costs`` keeps no row where nothing is remembered.
    """
    row = slice(s, s + 1)
    return States(
        states.place[s], states.position[s], states.length[s], states.start[s], states.follow[s],
        states.arrivals[row], states.is_open[s], states.steps[row], states.costs[row],
        states.is_cached[row],
    )  # fmt: skip
