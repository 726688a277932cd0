"""A greedy rollout of HCVRP in one compiled loop, instance after instance.

A step of one instance takes microseconds, and less than calling into compiled code once for each
of its parts. Besides, an instance that is done costs nothing while others are not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.model import hcvrp_kernel, sketch_kernel
from geopar.model.conflict_kernel import greedy
from geopar.model.scorer_kernel import Scorer, Seen, score
from geopar.model.sketch import FINISH
from geopar.search.compiled import compiled, inner

# Constants of numpy's types: for Python's own, all that is called would be compiled once more.
YES, NO, ONE = np.bool_(True), np.bool_(False), np.int64(1)
FINISH_COLUMN = FINISH["hcvrp"]


class Tables(NamedTuple):
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


class Sketches(NamedTuple):
    """Sketches as :class:`geopar.model.sketch.Sketch` holds them; no instances if there are none.

    ``pace`` is the length that each vehicle drives in a unit of time of the features.
    """

    owner: NDArray[np.int64]
    trip: NDArray[np.int64]
    rank: NDArray[np.int64]
    sequence: NDArray[np.int64]
    first: NDArray[np.int64]
    share: NDArray[np.float32]
    demand: NDArray[np.float64]
    pace: NDArray[np.float32]


class States(NamedTuple):
    """Where the fleets are, one row for each instance; changed by a rollout.

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


@inner
def look(
    tables: Tables, sketches: Sketches, states: States, b: int, s: int, wish: Any, seen: Seen
) -> None:
    """What state ``s`` of instance ``b`` shows, with the sketch if there is one."""
    here, now = slice(b, b + 1), slice(s, s + 1)
    place, is_open, left = states.place[now], states.is_open[now], states.left[now]
    home = states.is_open.shape[1] - 1
    carrier = np.empty((1, 0), dtype=np.int64)
    shared = np.empty((0, 1), dtype=np.int64)
    include = np.empty((0, 0, 1), dtype=np.int64)
    has_sketch = len(sketches.owner) > 0
    if has_sketch:
        sketch_kernel.wish(
            sketches.owner[here], sketches.trip[here], sketches.rank[here],
            sketches.sequence[here], sketches.first[here], sketches.share[here],
            sketches.demand[here], place, is_open, carrier, left, wish,
        )  # fmt: skip
        include = wish.reshape((1, -1, 1))
    hcvrp_kernel.look(
        tables.table[here], tables.work[here], tables.demand[here], tables.full[here],
        tables.capacity[here], tables.speed[here], tables.scale[here], tables.sector[here],
        tables.num_sectors, tables.near[here], tables.total,
        place, states.position[now], states.length[now], left, is_open,
        YES, shared, include, YES, NO,
        seen.candidates, seen.feasible, seen.agents, seen.fleet, seen.dynamic, seen.active,
        seen.pairs,
    )  # fmt: skip
    if not has_sketch:
        return
    finish = np.empty(wish.shape, dtype=np.float32)
    somebody = False
    for m in range(wish.shape[1]):
        finish[0, m] = seen.agents[0, m, FINISH_COLUMN]
        somebody = somebody or wish[0, m] != home
    sketch_kernel.seen(
        sketches.owner[here], sketches.trip[here], sketches.rank[here],
        sketches.sequence[here], sketches.first[here], sketches.share[here],
        sketches.demand[here], place, is_open, carrier, wish, finish, sketches.pace[here],
        shared, seen.candidates, seen.agents_added, seen.fleet_added, seen.pairs_added,
    )  # fmt: skip
    # As Sketch.seen has it: who has nothing more to do may wait for those who have.
    for m in range(wish.shape[1]):
        if somebody and wish[0, m] == home:
            seen.feasible[0, m, -1] = True


@inner
def step(tables: Tables, states: States, b: int, s: int, action: Any) -> None:
    """Everybody drives to the place named, or stays: as the environment's step."""
    home = states.is_open.shape[1] - 1
    states.steps[s] += 1
    for m in range(action.shape[0]):
        task = action[m]
        if task < home:
            states.is_open[s, task] = False
            states.left[s, m] -= tables.demand[b, task]
        if task <= home:
            x, y = tables.table[b, task, 0], tables.table[b, task, 1]
            dx, dy = x - states.position[s, m, 0], y - states.position[s, m, 1]
            states.length[s, m] += math.sqrt(dx * dx + dy * dy)
            states.position[s, m, 0] = x
            states.position[s, m, 1] = y
            states.place[s, m] = task
        if states.place[s, m] == home:
            states.left[s, m] = states.roomy[s, m]


@compiled
def roll_out(
    tables: Tables, sketches: Sketches, states: States, scorer: Scorer, seen: Seen, history: Any
) -> int:
    """Go on with every instance until it is done or the history is full; how many are not done.

    Parameters
    ----------
    tables, sketches, states, scorer
        The instances, where they are, and the network.
    seen
        Room for what is seen in one state.
    history
        ``(B, steps, M)``: filled with the actions, those of no step with N + 1.
    """
    home = states.is_open.shape[1] - 1
    fleet, columns = seen.feasible.shape[1:]
    wish = np.empty((1, fleet), dtype=np.int64)
    logits = np.empty((1, fleet, columns), dtype=np.float32)
    unfinished = 0
    for b in range(history.shape[0]):
        made = 0
        while made < history.shape[1] and states.is_open[b].any():
            look(tables, sketches, states, b, b, wish, seen)
            for m in range(fleet):
                score(scorer, seen, m, logits[0, m])
            action = history[b, made : made + 1]
            greedy(logits, seen.candidates, ONE, home, action)
            step(tables, states, b, b, action[0])
            made += 1
        history[b, made:] = home + 1
        unfinished += states.is_open[b].any()
    return unfinished
