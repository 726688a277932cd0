"""One state of HCVRP in a compiled rollout: what it shows, and what comes after it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.model import hcvrp_kernel
from geopar.model.look import Seen

# Constants of numpy's types: for Python's own, all that is called would be compiled once more.
YES, NO = np.bool_(True), np.bool_(False)


class HCVRPTables(NamedTuple):
    """What the compiled look reads of the instances; see :func:`hcvrp_kernel.look`."""

    table: NDArray[np.float32]
    work: NDArray[np.float32]
    demand: NDArray[np.float64]
    full: NDArray[np.float64]
    capacity: NDArray[np.float32]
    speed: NDArray[np.float32]
    scale: NDArray[np.float64]
    sector: NDArray[np.int64]
    num_sectors: int
    near: NDArray[np.int64]
    total: int
    turns: int


class HCVRPStates(NamedTuple):
    """Where the fleets are, one row for each rollout; changed by it.

    As :class:`geopar.problems.hcvrp.environment.HCVRPState`, with ``roomy`` for what a vehicle has
    room for when it leaves the depot.
    """

    place: NDArray[np.int64]
    position: NDArray[np.float32]
    length: NDArray[np.float32]
    left: NDArray[np.float64]
    is_open: NDArray[np.bool_]
    steps: NDArray[np.int64]
    roomy: NDArray[np.float64]
    start: NDArray[np.int64]
    follow: NDArray[np.int64]


@inner
def look(tables: HCVRPTables, states: HCVRPStates, b: int, s: int, seen: Seen) -> None:
    """What state ``s`` of instance ``b`` shows."""
    here, now = slice(b, b + 1), slice(s, s + 1)
    nobody = np.empty((0, 0), dtype=np.int64)
    hcvrp_kernel.look(
        tables.table[here], tables.work[here], tables.demand[here], tables.full[here],
        tables.capacity[here], tables.speed[here], tables.scale[here], tables.sector[here],
        tables.num_sectors, tables.near[here], tables.total, tables.turns,
        states.place[now], states.position[now], states.length[now], states.left[now],
        states.is_open[now], states.start[now], states.follow[now], YES, nobody, NO,
        seen.candidates, seen.feasible, seen.agents, seen.fleet, seen.active, seen.pairs,
    )  # fmt: skip


@inner
def step(tables: HCVRPTables, states: HCVRPStates, b: int, s: int, action: Any) -> None:
    """Everybody takes the customer named, goes home or stays: as the environment's step."""
    home = states.is_open.shape[1] - 1
    states.steps[s] += 1
    for m in range(action.shape[0]):
        task = action[m]
        if task < home:
            states.is_open[s, task] = False
            states.left[s, m] -= tables.demand[b, task]
        if task <= home:
            _insert(tables.table[b], states, s, m, task)
            states.position[s, m, 0] = tables.table[b, task, 0]
            states.position[s, m, 1] = tables.table[b, task, 1]
            states.place[s, m] = task
        if states.place[s, m] == home:
            states.left[s, m] = states.roomy[s, m]


@inner
def _insert(table: Any, states: HCVRPStates, s: int, m: int, task: int) -> None:
    """A customer comes into the open trip where it costs least; the depot ends the trip."""
    home = states.is_open.shape[1] - 1
    # With the way home from who was put last, the length is that of all trips.
    states.length[s, m] += table[states.place[s, m], 2]
    if task == home:
        states.start[s, m] = home
        return
    stops, legs = np.empty(home + 2, dtype=np.int64), np.empty(home + 2)
    count = hcvrp_kernel.list_stops(table, home, states.start[s, m], states.follow[s], stops, legs)
    extra, behind, _ = hcvrp_kernel.cheapest_place(table, stops, legs, count, task)
    states.length[s, m] += extra - table[task, 2]
    states.follow[s, task] = stops[behind + 1]
    if behind == 0:
        states.start[s, m] = task
    else:
        states.follow[s, stops[behind]] = task
