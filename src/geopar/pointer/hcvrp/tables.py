"""HCVRP as compiled rollouts take it: tables of the instances, and the states of rollouts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from geopar.compiled.jit import inlined
from geopar.pointer.neighbourhood import TINY, Neighbourhood
from geopar.problems.batch import HCVRPBatch
from geopar.problems.hcvrp.environment import HCVRPState
from geopar.problems.tensors import distance

# Good plans are about so much above the lower bound.
MAKESPAN_OVER_BOUND = 1.15
# Directions from the depot, of which the farthest customers are shown.
SECTORS = 16
# Among how many neighbours of a customer the way on is looked for.
ONWARD_NEIGHBOURS = 16


class Tables(NamedTuple):
    """Instances of one size; the depot has the last row, behind the customers.

    Parameters
    ----------
    customers
        ``(B, N + 1, …)``, see :class:`geopar.pointer.hcvrp.columns.Customer`.
    work
        ``(B, N + 1)``: what each customer adds to the lower bound, over the estimated makespan.
    demand
        ``(B, N + 1)``.
    sector
        ``(B, N + 1)``: in which direction from the depot each customer lies.
    near
        ``(B, N, …)``: the nearest other customers of each.
    capacity, relative_capacity, speed
        ``(B, M)``; the relative one is over the largest of the fleet.
    scale
        ``(B, …)``, see :class:`geopar.pointer.hcvrp.columns.Scale`.
    turns
        How many vehicles may leave the depot in one step; zero: all.
    inserts
        Whether a customer comes where it costs least in the open trip, or behind its last one.
    """

    customers: NDArray[np.float32]
    work: NDArray[np.float32]
    demand: NDArray[np.float64]
    sector: NDArray[np.int64]
    near: NDArray[np.int64]
    capacity: NDArray[np.float64]
    relative_capacity: NDArray[np.float32]
    speed: NDArray[np.float32]
    scale: NDArray[np.float64]
    turns: int
    inserts: bool


class States(NamedTuple):
    """Where the fleets are, one row for each rollout; changed by it.

    As :class:`geopar.problems.hcvrp.environment.HCVRPState`; ``room`` is what still fits on board
    and ``full_room`` what fits when a vehicle leaves the depot.
    """

    place: NDArray[np.int64]
    position: NDArray[np.float32]
    length: NDArray[np.float32]
    room: NDArray[np.float64]
    full_room: NDArray[np.float64]
    is_open: NDArray[np.bool_]
    steps: NDArray[np.int64]
    start: NDArray[np.int64]
    follow: NDArray[np.int64]


def tables_of(batch: HCVRPBatch, turns: int, *, inserts: bool = True) -> Tables:
    """The tables of a batch; the lower bound is that of :mod:`geopar.problems.hcvrp.bound`."""
    offset = batch.places - batch.reference[:, None]
    away = distance(batch.places, batch.reference[:, None])
    largest = batch.capacity.amax(-1, keepdim=True)
    demand = (batch.demand / largest).float()
    capacity = (batch.capacity / largest).float()
    work = 2.0 * demand * away / (batch.speed * capacity).sum(-1, keepdim=True)
    farthest = away.amax(-1)
    makespan = MAKESPAN_OVER_BOUND * torch.maximum(work.sum(-1), 2.0 * farthest).clamp(min=TINY)
    direction = offset / away.clamp(min=TINY)[..., None]
    angle = torch.atan2(offset[..., 1], offset[..., 0]) / (2.0 * torch.pi) + 0.5
    around = Neighbourhood.of(batch.tasks, ONWARD_NEIGHBOURS)
    mean = away[:, :-1].mean(-1).clamp(min=TINY)
    scale = torch.stack([around.spacing, mean, farthest.clamp(min=TINY), makespan], -1).double()
    arrays = (
        torch.cat([batch.places, away[..., None], direction, demand[..., None]], -1),
        work / makespan[:, None],
        batch.demand,
        (angle * SECTORS).long().clamp(max=SECTORS - 1),
        around.index,
        batch.capacity,
        capacity,
        batch.speed,
        scale,
    )
    return Tables._make([*(array.contiguous().numpy() for array in arrays), turns, inserts])


def states_of(state: HCVRPState) -> States:
    """Arrays that share their memory with the tensors of a first state, ``(B·R, …)``."""
    tensors = (
        state.place, state.position, state.length, state.left, state.left.clone(), state.open,
        state.steps, state.start, state.follow,
    )  # fmt: skip
    # Nobody has been anywhere, so all have the most room that they ever have.
    return States._make(tensor.flatten(0, 1).numpy() for tensor in tensors)


@inlined(allocates=True)
def instance_at(tables: Tables, b: int) -> Tables:
    """One instance: the same without the first dimension."""
    return Tables(
        tables.customers[b], tables.work[b], tables.demand[b], tables.sector[b], tables.near[b],
        tables.capacity[b], tables.relative_capacity[b], tables.speed[b], tables.scale[b],
        tables.turns, tables.inserts,
    )  # fmt: skip


@inlined(allocates=True)
def state_at(states: States, s: int) -> States:
    """One state: the same without the first dimension, but for the steps."""
    return States(
        states.place[s], states.position[s], states.length[s], states.room[s],
        states.full_room[s], states.is_open[s], states.steps[s : s + 1], states.start[s],
        states.follow[s],
    )  # fmt: skip
