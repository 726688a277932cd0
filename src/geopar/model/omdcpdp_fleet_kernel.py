"""One state of OMDCPDP in a compiled rollout: what it shows, and what comes after it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.model import omdcpdp_kernel
from geopar.model.look import Seen
from geopar.model.sketch import FINISH, Sketches
from geopar.model.sketch_kernel import add_sketch, wish_of
from geopar.search.compiled import inner

YES, NO = np.bool_(True), np.bool_(False)
FINISH_COLUMN = FINISH["omdcpdp"]


class OMDCPDPTables(NamedTuple):
    """What the compiled look reads of the instances; see :func:`omdcpdp_kernel.look`.

    ``most`` is how many orders each vehicle may have on board.
    """

    table: NDArray[np.float32]
    capacity: NDArray[np.int64]
    scale: NDArray[np.float64]
    near: NDArray[np.int64]
    next_pickups: NDArray[np.int64]
    total: int
    waits: bool
    most: NDArray[np.int64]


class OMDCPDPStates(NamedTuple):
    """Where the fleets are, one row for each rollout; changed by it.

    As :class:`geopar.problems.omdcpdp.environment.OMDCPDPState`.
    """

    place: NDArray[np.int64]
    position: NDArray[np.float32]
    length: NDArray[np.float32]
    load: NDArray[np.int64]
    carrier: NDArray[np.int64]
    board: NDArray[np.int64]
    arrivals: NDArray[np.float64]
    is_open: NDArray[np.bool_]
    steps: NDArray[np.int64]


@inner
def look(
    tables: OMDCPDPTables, sketches: Sketches, states: OMDCPDPStates, b: int, s: int, wish: Any,
    seen: Seen,
) -> None:  # fmt: skip
    """What state ``s`` of instance ``b`` shows, with the sketch if there is one."""
    here, now = slice(b, b + 1), slice(s, s + 1)
    place, is_open, load = states.place[now], states.is_open[now], states.load[now]
    carrier = states.carrier[now]
    fleet, home = place.shape[1], is_open.shape[1] - 1
    is_free = False
    for j in range(home // 2):
        is_free = is_free or is_open[0, j]
    room = np.empty((1, fleet), dtype=np.bool_)
    allowed = np.ones((1, fleet), dtype=np.bool_)
    waits = np.empty((1, fleet), dtype=np.bool_)
    left = np.empty((1, fleet))
    for m in range(fleet):
        room[0, m] = load[0, m] < tables.most[b, m]
        # As the environment has it: nobody waits who could do something.
        waits[0, m] = load[0, m] == 0 and not (is_free and room[0, m])
        left[0, m] = tables.capacity[b, m] - load[0, m]
    shared = np.empty((0, 1), dtype=np.int64)
    include = np.empty((0, 0, 1), dtype=np.int64)
    has_sketch = len(sketches.owner) > 0
    if has_sketch:
        wish_of(sketches, b, place, is_open, carrier, left, wish)
        include = wish.reshape((1, -1, 1))
    omdcpdp_kernel.look(
        tables.table[here], tables.capacity[here], tables.scale[here], tables.near[here],
        tables.next_pickups[here], tables.total, tables.waits,
        place, states.position[now], states.length[now], load, carrier, states.board[now],
        is_open, room, allowed, waits,
        YES, shared, include, YES, NO,
        seen.candidates, seen.feasible, seen.agents, seen.fleet, seen.dynamic, seen.active,
        seen.pairs,
    )  # fmt: skip
    if has_sketch and add_sketch(sketches, b, place, is_open, carrier, wish, FINISH_COLUMN, seen):
        # As Sketch.seen has it: who has nothing more to do may wait for those who have.
        for m in range(fleet):
            if wish[0, m] == home and load[0, m] == 0:
                seen.feasible[0, m, -1] = True


@inner
def _unload(board: Any, load: int, order: int, nothing: int) -> None:
    """Take an order off a vehicle; the last one fills the gap."""
    for slot in range(load):
        if board[slot] == order:
            board[slot] = board[load - 1]
            break
    board[load - 1] = nothing


@inner
def step(tables: OMDCPDPTables, states: OMDCPDPStates, b: int, s: int, action: Any) -> None:
    """Everybody drives to the task named, or stays: as the environment's step."""
    home = states.is_open.shape[1] - 1
    fleet, half = action.shape[0], home // 2
    states.steps[s] += 1
    for m in range(fleet):
        task = action[m]
        if task >= home:
            continue
        x, y = tables.table[b, task, 0], tables.table[b, task, 1]
        dx, dy = x - states.position[s, m, 0], y - states.position[s, m, 1]
        states.length[s, m] += math.sqrt(dx * dx + dy * dy)
        states.position[s, m, 0] = x
        states.position[s, m, 1] = y
        states.place[s, m] = task
        states.is_open[s, task] = False
        load = states.load[s, m]
        if task < half:
            states.is_open[s, task + half] = True
            states.carrier[s, task] = m
            states.board[s, m, load] = task
            states.load[s, m] = load + 1
        else:
            states.carrier[s, task - half] = fleet
            _unload(states.board[s, m], load, task - half, half)
            states.load[s, m] = load - 1
            states.arrivals[s] += states.length[s, m]
