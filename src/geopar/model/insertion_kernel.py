"""Whole orders of OMDCPDP put into routes, in compiled loops.

What :mod:`geopar.model.insertion_features` says of a state, and what comes after it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled, inner
from geopar.model.features import NEIGHBOURS, TINY
from geopar.model.insertion_features import FORGIVEN, NO_RIVAL
from geopar.model.kernels import (
    count_less,
    ensure,
    fill_grid,
    fill_up,
    insert,
    nearest_fitting,
    squash,
)
from geopar.model.look import Seen

# Of numpy's type: for Python's own, all that is called would be compiled once more.
YES = np.bool_(True)
# Of all free orders those that are due first are looked at; where more than so many are free, of
# some near the end of the route.
MOST_COMPARED_ORDERS = 16_384
NEAR_THE_END = 512
# What is known of an order in a route: what it adds to the sum of arrivals, when it arrives, how
# much longer the route becomes, deliveries that it delays, whether it arrives last, its cost
# behind everything else; then where it is put.
COST, ARRIVAL, LONGER, DELAYED, IS_LAST, APPENDED, PICKUP, DELIVERY = range(8)
KNOWN = 8


class InsertionTables(NamedTuple):
    """What the compiled look reads of the instances.

    Parameters
    ----------
    table
        Places and lengths of the orders; see :class:`InsertionScene`.
    scale
        Spacing, mean length of an order and estimated length of a route of each instance.
    near
        Neighbourhoods of the tasks.
    most
        How many orders each vehicle may have on board.
    """

    table: NDArray[np.float32]
    scale: NDArray[np.float64]
    near: NDArray[np.int64]
    most: NDArray[np.int64]


class InsertionStates(NamedTuple):
    """What is planned, one row for each rollout; changed by it.

    As :class:`geopar.problems.omdcpdp.insertion.InsertionState`, and besides what was found out:
    ``costs`` ``(rows, M, N / 2)`` are those of the free orders in the routes for which
    ``is_noted`` ``(rows, M)`` is true. Without rows nothing is noted.
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
    is_noted: NDArray[np.bool_]


class Walk(NamedTuple):
    """Room for what is known of one route.

    Index 0 is where the vehicle starts, then come its stops. ``legs`` are the ways on from each,
    ``after`` how many deliveries come behind it, ``to_pickup`` and ``to_delivery`` how far the
    places of an order are from it.
    """

    stops: NDArray[np.int64]
    times: NDArray[np.float64]
    legs: NDArray[np.float64]
    load: NDArray[np.int64]
    after: NDArray[np.int64]
    to_pickup: NDArray[np.float64]
    to_delivery: NDArray[np.float64]


@inner
def _new_walk(size: int) -> Walk:
    whole, real = (size,), (size,)
    return Walk(
        np.empty(whole, dtype=np.int64), np.empty(real), np.empty(real),
        np.empty(whole, dtype=np.int64), np.empty(whole, dtype=np.int64), np.empty(real),
        np.empty(real),
    )  # fmt: skip


@inner
def _go(
    table: Any, half: int, x: float, y: float, start: int, follow: Any, walk: Walk
) -> tuple[int, float]:
    """Drive along a route; how many stops it has, and the sum of its arrivals."""
    home = 2 * half
    stops, times, legs, load, after = walk.stops, walk.times, walk.legs, walk.load, walk.after
    stops[0], times[0], load[0] = home, 0.0, 0
    count, j, arrivals, deliveries = 0, start, 0.0, 0
    while j != home:
        dx, dy = table[j, 0] - x, table[j, 1] - y
        legs[count] = math.sqrt(dx * dx + dy * dy)
        count += 1
        stops[count] = j
        times[count] = times[count - 1] + legs[count - 1]
        if j < half:
            load[count] = load[count - 1] + 1
        else:
            load[count] = load[count - 1] - 1
            arrivals += times[count]
            deliveries += 1
        after[count] = deliveries
        x, y = table[j, 0], table[j, 1]
        j = follow[j]
    after[0] = 0
    for i in range(count + 1):
        after[i] = deliveries - after[i]
    return count, arrivals


@inner
def _put_best(
    table: Any, half: int, x: float, y: float, most: int, walk: Walk, count: int, order: int,
    known: Any,
) -> None:  # fmt: skip
    """Where an order adds least to the sum of arrivals; ``known`` is filled."""
    there, back = order, order + half
    times, legs, load, after = walk.times, walk.legs, walk.load, walk.after
    stops, to_pickup, to_delivery = walk.stops, walk.to_pickup, walk.to_delivery
    for i in range(count + 1):
        if i:
            x, y = table[stops[i], 0], table[stops[i], 1]
        dx, dy = table[there, 0] - x, table[there, 1] - y
        to_pickup[i] = math.sqrt(dx * dx + dy * dy)
        dx, dy = table[back, 0] - x, table[back, 1] - y
        to_delivery[i] = math.sqrt(dx * dx + dy * dy)
    direct = table[order, 4]
    best = np.inf
    for i in range(count + 1):
        if load[i] >= most:
            continue
        longer = to_pickup[i] + direct
        arrival = times[i] + longer
        cost = arrival
        if i < count:
            longer += to_delivery[i + 1] - legs[i]
            cost += longer * after[i]
        if cost < best:
            best = cost
            known[ARRIVAL], known[LONGER], known[DELAYED] = arrival, longer, after[i]
            known[PICKUP], known[DELIVERY] = i, i
        if i == count:
            known[APPENDED] = cost
            break
        detour = to_pickup[i] + to_pickup[i + 1] - legs[i]
        if detour * after[i] >= best:
            continue
        for k in range(i + 1, count + 1):
            if load[k] >= most:
                break
            longer, arrival = detour + to_delivery[k], times[k] + detour + to_delivery[k]
            cost = detour * after[i] + arrival
            if k < count:
                more = to_delivery[k + 1] - legs[k]
                longer += more
                cost += (to_delivery[k] + more) * after[k]
            if cost < best:
                best = cost
                known[ARRIVAL], known[LONGER], known[DELAYED] = arrival, longer, after[i]
                known[PICKUP], known[DELIVERY] = i, k
    known[COST] = best
    known[IS_LAST] = known[DELIVERY] == count


@inner
def _crowd(near: Any, is_open: Any, half: int, j: int) -> float:
    """The share of a task's neighbours that are free pickups."""
    size = min(near.shape[1], NEIGHBOURS)
    count = 0
    for i in range(size):
        count += near[j, i] < half and is_open[near[j, i]]
    return count / max(size, 1)


@compiled
def look(
    table: Any, scale: Any, near: Any, most: Any,
    place: Any, position: Any, start: Any, follow: Any, is_open: Any, costs: Any, is_noted: Any,
    choose: bool, include: Any,
    candidates: Any, feasible: Any, agents: Any, fleet: Any, active: Any, pairs: Any,
) -> None:  # fmt: skip
    """Fill everything that :class:`geopar.model.look.Look` holds, row by row.

    Parameters
    ----------
    table, scale, near, most
        The instances; see :class:`InsertionTables`.
    place, position, start, follow, is_open
        The states, one row each.
    costs, is_noted
        What was noted of them; see :class:`InsertionStates`.
    choose
        Whether to choose the candidates.
    include
        ``(rows, M)`` tasks that must be candidates, or none.
    candidates, feasible, agents, fleet, active, pairs
        The results.
    """
    rows, vehicles = place.shape
    rollouts = rows // table.shape[0]
    home = is_open.shape[1] - 1
    half, columns = home // 2, feasible.shape[2]
    size = columns - 1
    walk = _new_walk(home + 2)
    free, nothing = np.empty(half, dtype=np.int64), np.zeros(home + 1)
    known = np.empty((vehicles, columns, KNOWN))
    takes_notes = costs.shape[0] > 0
    some = min(NEAR_THE_END, half)
    at_hand, at_hand_keys = np.empty(some, dtype=np.int64), np.empty(some)
    made, keys = np.empty((max(min(MOST_COMPARED_ORDERS, half), 1), KNOWN)), np.empty(size)
    picked, used = np.empty(size, dtype=np.int64), np.zeros(home + 1, dtype=np.bool_)
    ends, sums, counts = np.empty(vehicles), np.empty(vehicles), np.empty(vehicles, dtype=np.int64)
    own, own_next, own_due = np.empty(vehicles), np.empty(vehicles), np.empty(vehicles)
    earlier = np.empty(vehicles, dtype=np.int64)
    first, second = np.empty(half), np.empty(half)
    shape = np.empty(5)
    for s in range(rows):
        b = s // rollouts
        area, still, around = table[b], is_open[s], near[b]
        typical, route = scale[b, 1], scale[b, 2]
        count = 0
        for j in range(half):
            if still[j]:
                free[count] = j
                count += 1
            first[j], second[j] = np.inf, np.inf
        gridded = choose and count > MOST_COMPARED_ORDERS
        cells = np.empty(3 * count + 8 if gridded else 1, dtype=np.int64)
        member = np.empty(count if gridded else 1, dtype=np.int64)
        if gridded:
            fill_grid(area, free, count, shape, cells, member)
        mean_end, most_end, mean_sum, lowest, lowest_due = 0.0, 0.0, 0.0, np.inf, np.inf
        for m in range(vehicles):
            x, y = position[s, m, 0], position[s, m, 1]
            stops, arrivals = _go(area, half, x, y, start[s, m], follow[s], walk)
            ends[m], sums[m], counts[m] = walk.times[stops], arrivals, stops
            mean_end += ends[m] / vehicles
            mean_sum += arrivals / vehicles
            most_end = max(most_end, ends[m])
            if choose:
                hand, held = free, count
                if gridded:
                    last_x, last_y = x, y
                    if stops:
                        last = walk.stops[stops]
                        last_x, last_y = area[last, 0], area[last, 1]
                    hand, held = at_hand, nearest_fitting(
                        area, last_x, last_y, nothing, 0.0, free, count, gridded, shape, cells,
                        member, at_hand_keys, at_hand,
                    )  # fmt: skip
                is_new = gridded or not (takes_notes and is_noted[s, m])
                found = 0
                for i in range(held):
                    if is_new:
                        _put_best(area, half, x, y, most[b, m], walk, stops, hand[i], made[i])
                        cost = made[i, COST]
                        if takes_notes:
                            costs[s, m, hand[i]] = cost
                    else:
                        cost = costs[s, m, hand[i]]
                    due = cost - FORGIVEN * area[hand[i], 5]
                    found = insert(keys, picked, found, due, i)
                if takes_notes:
                    is_noted[s, m] = not gridded
                row = candidates[s, m]
                for k in range(found):
                    row[k] = hand[picked[k]]
                fill_up(row[:size], found, used)
                row[size] = home
                for k in range(found):
                    if is_new:
                        known[m, k] = made[picked[k]]
                    else:
                        _put_best(area, half, x, y, most[b, m], walk, stops, row[k], known[m, k])
                if include.shape[0]:
                    ensure(row[:size], include[s, m], home)
            own[m], own_next[m], own_due[m] = np.inf, np.inf, np.inf
            active[s, m] = count > 0
            for k in range(columns):
                j = candidates[s, m, k]
                feasible[s, m, k] = j < half and still[j]
                if not feasible[s, m, k]:
                    continue
                if not choose or include.shape[0]:
                    _put_best(area, half, x, y, most[b, m], walk, stops, j, known[m, k])
                cost = known[m, k, COST]
                own_due[m] = min(own_due[m], cost - FORGIVEN * area[j, 5])
                if cost < own[m]:
                    own[m], own_next[m] = cost, own[m]
                elif cost < own_next[m]:
                    own_next[m] = cost
                if cost < first[j]:
                    first[j], second[j] = cost, first[j]
                elif cost < second[j]:
                    second[j] = cost
            lowest, lowest_due = min(lowest, own[m]), min(lowest_due, own_due[m])
        # The fleet.
        each, left = half / vehicles, count / vehicles
        unit = typical * (1.0 + each)
        fleet[s, 0] = count / half
        fleet[s, 1] = squash(left)
        fleet[s, 2] = mean_end / route
        fleet[s, 3] = most_end / route
        fleet[s, 4] = squash(each / 5.0)
        fleet[s, 5] = typical / scale[b, 0] * 0.1
        fleet[s, 6] = lowest / unit if count else 0.0
        count_less(ends, earlier)
        for m in range(vehicles):
            # Everybody may let others go first but who has the order that is due first of all.
            leads = own_due[m] == lowest_due
            for k in range(columns):
                j = candidates[s, m, k]
                if j == home:
                    feasible[s, m, k] = not (active[s, m] and leads)
            agents[s, m, 0] = counts[m] / 2.0 / (1.0 + each)
            agents[s, m, 1] = ends[m] / route
            agents[s, m, 2] = (ends[m] - mean_end) / typical * 0.3
            agents[s, m, 3] = (sums[m] - mean_sum) / unit * 0.1
            agents[s, m, 4] = earlier[m] / vehicles
            agents[s, m, 5] = own[m] / unit if own[m] < np.inf else 0.0
            agents[s, m, 6] = (own[m] - lowest) / typical * 0.3 if own[m] < np.inf else 0.0
            agents[s, m, 7] = counts[m] == 0
            agents[s, m, 8] = squash(most[b, m] / 4.0)
            agents[s, m, 9] = active[s, m] and leads
            agents[s, m, 10] = squash(left / 2.0)
            behind = own_due[m] - lowest_due
            agents[s, m, 11] = behind / typical * 0.3 if own[m] < np.inf else 0.0
        for m in range(vehicles):
            pick = squash((own_next[m] - own[m]) / typical) if own_next[m] < np.inf else 1.0
            for k in range(columns):
                j = candidates[s, m, k]
                row = pairs[s, m, k]
                row[:] = 0.0
                row[0] = j == home
                if j == home or not feasible[s, m, k]:
                    continue
                cost, arrival = known[m, k, COST], known[m, k, ARRIVAL]
                longer = known[m, k, LONGER]
                rival = second[j] if cost == first[j] else first[j]
                lead = (cost - rival) / typical if rival < np.inf else NO_RIVAL
                row[1] = math.log(1.0 + cost / typical)
                row[2] = cost / unit
                row[3] = squash(lead)
                row[4] = squash(4.0 * lead)
                row[5] = own[m] / max(cost, TINY)
                row[6] = squash((cost - own[m]) / typical)
                row[7] = math.log(1.0 + arrival / typical)
                row[8] = squash((cost - arrival) / typical)
                row[9] = known[m, k, DELAYED] / (1.0 + each)
                row[10] = squash((cost - known[m, k, APPENDED]) / typical)
                row[11] = area[j, 4] / typical
                row[12] = squash((arrival - ends[m]) / typical)
                row[13] = squash((cost - lowest) / typical)
                row[14] = known[m, k, IS_LAST]
                row[15] = pick
                row[16] = _crowd(around, still, half, j)
                row[17] = _crowd(around, still, half, j + half)
                row[18] = squash(longer / typical)
                row[19] = squash((ends[m] + longer - mean_end) / typical)
                row[20] = left * longer / unit
                due = cost - FORGIVEN * area[j, 5]
                row[21] = squash((due - own_due[m]) / typical)
                row[22] = squash((due - lowest_due) / typical)
                row[23] = squash(4.0 * (due - lowest_due) / typical)


@inner
def look_at(tables: InsertionTables, states: InsertionStates, b: int, s: int, seen: Seen) -> None:
    """What state ``s`` of instance ``b`` shows."""
    here, now = slice(b, b + 1), slice(s, s + 1)
    nobody = np.empty((0, 0), dtype=np.int64)
    look(
        tables.table[here], tables.scale[here], tables.near[here], tables.most[here],
        states.place[now], states.position[now], states.start[now], states.follow[now],
        states.is_open[now], states.costs[now], states.is_noted[now], YES, nobody,
        seen.candidates, seen.feasible, seen.agents, seen.fleet, seen.active, seen.pairs,
    )  # fmt: skip


@inner
def step(tables: InsertionTables, states: InsertionStates, b: int, s: int, action: Any) -> None:
    """Everybody plans in the order named, or lets others go first: as the environment's step."""
    table, home = tables.table[b], states.is_open.shape[1] - 1
    half, follow = home // 2, states.follow[s]
    states.steps[s] += 1
    walk, known = _new_walk(home + 2), np.empty(KNOWN)
    for m in range(action.shape[0]):
        order = action[m]
        if order >= half:
            continue
        x, y = states.position[s, m, 0], states.position[s, m, 1]
        count, _ = _go(table, half, x, y, states.start[s, m], follow, walk)
        _put_best(table, half, x, y, tables.most[b, m], walk, count, order, known)
        i, k = int(known[PICKUP]), int(known[DELIVERY])
        if i:
            before = walk.stops[i]
            follow[order] = follow[before]
            follow[before] = order
        else:
            follow[order] = states.start[s, m]
            states.start[s, m] = order
        before = order if k == i else walk.stops[k]
        follow[order + half] = follow[before]
        follow[before] = order + half
        states.place[s, m] = order
        states.length[s, m] = walk.times[count] + known[LONGER]
        states.arrivals[s] += known[COST]
        states.is_open[s, order] = False
        if states.is_noted.shape[0]:
            states.is_noted[s, m] = False
