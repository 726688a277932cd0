"""Looking at OMDCPDP states in compiled loops; see :mod:`geopar.model.omdcpdp_features`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopar.model.delivery_kernel import deliver_nearest
from geopar.model.features import TINY
from geopar.model.kernels import (
    MOST_WITHOUT_GRID,
    count_less,
    ensure,
    fill_grid,
    fill_up,
    insert,
    nearest_fitting,
    onward_of,
    squash,
)
from geopar.model.omdcpdp_features import MOST_CARRIED_SEEN, MOST_COST, MOST_LEAD
from geopar.search.compiled import compiled, inner

FARTHEST = 10.0


@inner
def _choose(
    table: Any, weightless: Any, tasks: Any, count: int, half: int, position: Any, load: Any,
    room: Any, board: Any, candidates: Any,
) -> None:  # fmt: skip
    """The candidates of every vehicle of one row: what it carries, then the nearest pickups."""
    size, home = candidates.shape[1] - 1, 2 * half
    gridded = count > MOST_WITHOUT_GRID
    shape, first = np.empty(5), np.empty(3 * count + 8 if gridded else 1, dtype=np.int64)
    member = np.empty(count if gridded else 1, dtype=np.int64)
    keys, used = np.empty(size), np.zeros(home + 1, dtype=np.bool_)
    if gridded:
        fill_grid(table, tasks, count, shape, first, member)
    for m in range(load.shape[0]):
        row, x, y = candidates[m], position[m, 0], position[m, 1]
        row[size] = home
        n = 0
        for i in range(load[m]):
            j = board[m, i] + half
            dx, dy = table[j, 0] - x, table[j, 1] - y
            n = insert(keys, row[:size], n, dx * dx + dy * dy, j)
        if room[m] and count and n < size:
            n += nearest_fitting(
                table, x, y, weightless, 0.0, tasks, count, gridded, shape, first, member,
                keys[n:], row[n:size],
            )  # fmt: skip
        fill_up(row[:size], n, used)


@inner
def _crowd(near: Any, is_open: Any, half: int, j: int) -> tuple[float, float]:
    """The shares of a task's neighbourhood that are free pickups and deliveries on board."""
    size = near.shape[1]
    if not size:
        return 0.0, 0.0
    pickups, deliveries = 0.0, 0.0
    for i in range(size):
        k = near[j, i]
        if is_open[k]:
            if k < half:
                pickups += 1.0
            else:
                deliveries += 1.0
    return pickups / size, deliveries / size


@compiled
def look(
    table: Any, capacity: Any, scale: Any, near: Any, next_pickups: Any, total: int, waits: bool,
    place: Any, position: Any, length: Any, load: Any, carrier: Any, board: Any, is_open: Any,
    room: Any, allowed: Any, home_allowed: Any,
    choose: bool, shared: Any, include: Any, want_pairs: bool, want_all: bool,
    candidates: Any, feasible: Any, agents: Any, fleet: Any, dynamic: Any, active: Any, pairs: Any,
) -> None:  # fmt: skip
    """Fill everything that :class:`geopar.model.look.Look` holds, row by row.

    As for HCVRP; ``scale`` has spacing, mean length of an order and estimated route,
    ``next_pickups`` the pickups near each task, ``waits`` says whether idle vehicles may let others
    go first, ``room`` who may load more, ``allowed`` who may serve at all, ``home_allowed`` who
    may wait.
    """
    rows, fleet_size = place.shape
    rollouts = rows // table.shape[0]
    home = table.shape[1] - 1
    half, columns = home // 2, feasible.shape[2]
    is_shared = shared.shape[0] > 0
    tasks, weightless = np.empty(home + 1, dtype=np.int64), np.zeros(home + 1)
    gap, cost = np.empty((fleet_size, columns)), np.empty((fleet_size, columns))
    longer, detour = np.empty((fleet_size, columns)), np.empty((fleet_size, columns))
    least_cost, next_cost = np.empty(home + 1), np.empty(home + 1)
    least_later, next_later = np.empty(home + 1), np.empty(home + 1)
    # Places to go to, of the table's own type: of equally near ones the same comes first.
    xs = np.empty(MOST_CARRIED_SEEN + 1, dtype=np.float32)
    ys = np.empty(MOST_CARRIED_SEEN + 1, dtype=np.float32)
    first, second = np.empty(home + 1), np.empty(home + 1)
    soonest, next_soonest = np.empty(home + 1), np.empty(home + 1)
    pickups_near, deliveries_near = np.empty(home + 1), np.empty(home + 1)
    onward = np.empty(home + 1)
    board_x, board_y = np.empty(MOST_CARRIED_SEEN), np.empty(MOST_CARRIED_SEEN)
    board_gap = np.empty(MOST_CARRIED_SEEN)
    start, shorter = np.empty(fleet_size), np.empty(fleet_size, dtype=np.int64)
    seen, looked = np.full(home + 1, -1), np.full(home + 1, -1)
    for s in range(rows):
        b = s // rollouts
        spacing, typical, route = scale[b, 0], scale[b, 1], scale[b, 2]
        # Products take less time than quotients.
        by_spacing, by_typical, by_route = 1.0 / spacing, 1.0 / typical, 1.0 / route
        # Taken once: for every slice of an array somebody counts who holds it.
        area, around, pickups_around, still = table[b], near[b], next_pickups[b], is_open[s]
        free, aboard = 0, 0
        for j in range(half):
            if is_open[s, j]:
                tasks[free] = j
                free += 1
            aboard += is_open[s, half + j]
        # Orders that are still free for each vehicle: so many wait for it to be done.
        fleet_left = free / fleet_size
        mean, most, idle, loads, rooms = 0.0, 0.0, 0.0, 0.0, 0.0
        for m in range(fleet_size):
            mean += length[s, m] / route / fleet_size
            most = max(most, length[s, m] / route)
            idle += load[s, m] == 0
            loads += load[s, m]
            rooms += capacity[b, m]
        fleet[s, 0] = (2.0 * free + aboard) / total
        fleet[s, 1] = 2.0 * free / total
        fleet[s, 2] = mean
        fleet[s, 3] = most - mean
        fleet[s, 4] = idle / fleet_size
        fleet[s, 5] = squash(free / fleet_size)
        fleet[s, 6] = loads / rooms
        count_less(length[s], shorter)
        for m in range(fleet_size):
            driven = length[s, m] / route
            agents[s, m, 0] = place[s, m] == home
            agents[s, m, 1] = load[s, m] / capacity[b, m]
            agents[s, m, 2] = squash(float(capacity[b, m] - load[s, m]))
            agents[s, m, 3] = squash(float(load[s, m]))
            agents[s, m, 4] = load[s, m] == 0
            agents[s, m, 5] = driven
            agents[s, m, 6] = driven - mean
            agents[s, m, 7] = driven - most
            agents[s, m, 8] = squash(driven * 4.0)
            agents[s, m, 9] = shorter[m] / fleet_size
            carried = min(board.shape[2], MOST_CARRIED_SEEN, load[s, m])
            ways = 0.0
            for slot in range(carried):
                j = board[s, m, slot] + half
                dx, dy = table[b, j, 0] - position[s, m, 0], table[b, j, 1] - position[s, m, 1]
                ways += math.sqrt(dx * dx + dy * dy)
            agents[s, m, 10] = ways / max(carried, 1) / typical
            active[s, m] = allowed[s, m] and (load[s, m] > 0 or (free > 0 and room[s, m]))
        if choose:
            _choose(
                table[b], weightless, tasks, free, half, position[s], load[s], room[s], board[s],
                candidates[s],
            )  # fmt: skip
            if include.shape[0]:
                for m in range(fleet_size):
                    ensure(candidates[s, m, :-1], include[s, m], home)
        for m in range(fleet_size):
            for k in range(columns):
                j = shared[b, k] if is_shared else candidates[s, m, k]
                if j == home:
                    feasible[s, m, k] = home_allowed[s, m]
                elif j < half:
                    feasible[s, m, k] = is_open[s, j] and room[s, m] and allowed[s, m]
                else:
                    mine = carrier[s, j - half] == m
                    feasible[s, m, k] = is_open[s, j] and mine and allowed[s, m]
        if waits:
            # When nobody has anything on board, whoever would be the soonest at a pickup must go.
            soonest_of_all = np.inf if idle == fleet_size else -1.0
            for m in range(fleet_size):
                start[m] = np.inf
                if idle < fleet_size:
                    continue
                for k in range(columns):
                    j = shared[b, k] if is_shared else candidates[s, m, k]
                    if feasible[s, m, k] and j < home:
                        dx = table[b, j, 0] - position[s, m, 0]
                        dy = table[b, j, 1] - position[s, m, 1]
                        start[m] = min(start[m], length[s, m] + math.sqrt(dx * dx + dy * dy))
                soonest_of_all = min(soonest_of_all, start[m])
            for m in range(fleet_size):
                for k in range(columns):
                    j = shared[b, k] if is_shared else candidates[s, m, k]
                    if j == home and load[s, m] == 0 and start[m] > soonest_of_all:
                        feasible[s, m, k] = True
        # The neighbourhoods of all that somebody may do, each once; of others only if asked for.
        for m in range(1 if is_shared else fleet_size):
            for k in range(columns):
                j = shared[b, k] if is_shared else candidates[s, m, k]
                if not (is_shared or want_all or feasible[s, m, k] or j == home):
                    continue
                if looked[j] != s:
                    looked[j] = s
                    first[j], second[j] = np.inf, np.inf
                    soonest[j], next_soonest[j] = np.inf, np.inf
                    least_cost[j], next_cost[j] = np.inf, np.inf
                    least_later[j], next_later[j] = np.inf, np.inf
                partner = home if j == home else (j + half if j < half else j - half)
                for task in (j, partner):
                    if seen[task] != s:
                        seen[task] = s
                        pickups_near[task], deliveries_near[task] = 0.0, 0.0
                        onward[task] = 0.0
                        if task < home:
                            onward[task] = onward_of(
                                area, pickups_around, weightless, 0.0, still, task, 0
                            )
                            pickups_near[task], deliveries_near[task] = _crowd(
                                around, still, half, task
                            )
                dynamic[s, m, k, 0] = j >= half and is_open[s, j]
                dynamic[s, m, k, 1] = pickups_near[j]
                dynamic[s, m, k, 2] = deliveries_near[j]
        if not want_pairs:
            continue
        for m in range(fleet_size):
            px, py, driven = position[s, m, 0], position[s, m, 1], length[s, m]
            carried = min(board.shape[2], MOST_CARRIED_SEEN, load[s, m])
            for slot in range(carried):
                other = board[s, m, slot] + half
                xs[slot], ys[slot] = area[other, 0], area[other, 1]
            arrivals_now, end_now = deliver_nearest(px, py, 0.0, xs, ys, carried)
            for k in range(columns):
                j = shared[b, k] if is_shared else candidates[s, m, k]
                can = feasible[s, m, k] and j < home
                d = 0.0
                if j < home and (can or want_all):
                    dx, dy = area[j, 0] - px, area[j, 1] - py
                    d = math.sqrt(dx * dx + dy * dy)
                gap[m, k] = d
                if not (can or want_all or j == home):
                    continue
                waiting, apart = 0, np.inf
                for slot in range(carried):
                    other = board[s, m, slot] + half
                    if other != j:
                        xs[waiting], ys[waiting] = area[other, 0], area[other, 1]
                        dx, dy = xs[waiting] - area[j, 2], ys[waiting] - area[j, 3]
                        apart = min(apart, dx * dx + dy * dy)
                        waiting += 1
                detour[m, k] = math.sqrt(apart) if j < half and waiting else 0.0
                if j < half:
                    xs[waiting], ys[waiting] = area[j, 2], area[j, 3]
                    waiting += 1
                x, y = (px, py) if j == home else (area[j, 0], area[j, 1])
                arrivals, end = deliver_nearest(x, y, d, xs, ys, waiting)
                # A delivery itself arrives, too.
                cost[m, k] = arrivals - arrivals_now + (d if half <= j < home else 0.0)
                longer[m, k] = end - end_now
                if can:
                    whole = driven + cost[m, k]
                    if whole < least_cost[j]:
                        least_cost[j], next_cost[j] = whole, least_cost[j]
                    elif whole < next_cost[j]:
                        next_cost[j] = whole
                    whole += longer[m, k] * fleet_left
                    if whole < least_later[j]:
                        least_later[j], next_later[j] = whole, least_later[j]
                    elif whole < next_later[j]:
                        next_later[j] = whole
                    arrival = driven + d
                    if arrival < soonest[j]:
                        soonest[j], next_soonest[j] = arrival, soonest[j]
                    elif arrival < next_soonest[j]:
                        next_soonest[j] = arrival
                    if d < first[j]:
                        first[j], second[j] = d, first[j]
                    elif d < second[j]:
                        second[j] = d
        for m in range(fleet_size):
            nearest = FARTHEST
            for k in range(columns):
                j = shared[b, k] if is_shared else candidates[s, m, k]
                if feasible[s, m, k] and j < home:
                    nearest = min(nearest, gap[m, k])
            nearest = max(nearest, TINY)
            px, py, own_load = position[s, m, 0], position[s, m, 1], load[s, m]
            fill = own_load / capacity[b, m]
            carried = min(board.shape[2], MOST_CARRIED_SEEN, own_load)
            for slot in range(carried):
                other = board[s, m, slot] + half
                board_x[slot], board_y[slot] = area[other, 0], area[other, 1]
                dx, dy = px - board_x[slot], py - board_y[slot]
                board_gap[slot] = math.sqrt(dx * dx + dy * dy)
            for k in range(columns):
                j = shared[b, k] if is_shared else candidates[s, m, k]
                if not (want_all or feasible[s, m, k] or j == home):
                    continue
                x, y, u, v = area[j, 0], area[j, 1], area[j, 2], area[j, 3]
                order, is_pickup, d = area[j, 4], area[j, 5], gap[m, k]
                partner = home if j == home else (j + half if j < half else j - half)
                mine = feasible[s, m, k] and d == first[j]
                rival = min(second[j] if mine else first[j], FARTHEST)
                turn = ((x - px) * (u - x) + (y - py) * (v - y)) / max(d * order, TINY)
                beyond = math.sqrt((u - px) * (u - px) + (v - py) * (v - py))
                arrival = length[s, m] + d
                mine = feasible[s, m, k] and arrival == soonest[j]
                lead = arrival - (next_soonest[j] if mine else soonest[j])
                least, sum_carried, delay, count = 0.0, 0.0, 0.0, 0
                for slot in range(carried):
                    if board[s, m, slot] + half != j:
                        dx, dy = x - board_x[slot], y - board_y[slot]
                        e = math.sqrt(dx * dx + dy * dy)
                        least = e if count == 0 else min(least, e)
                        sum_carried += e
                        delay += d + e - board_gap[slot]
                        count += 1
                average = sum_carried / max(count, 1)
                driven = arrival * by_route
                pair = pairs[s, m, k]
                pair[0] = math.log(1.0 + d * by_spacing)
                pair[1] = d * by_typical
                pair[2] = is_pickup
                pair[3] = 0.0 if j == home else 1.0 - is_pickup
                pair[4] = order * by_typical
                pair[5] = is_pickup * beyond * by_typical
                pair[6] = is_pickup * turn
                pair[7] = is_pickup * (d + order - beyond) * by_typical
                pair[8] = own_load * d * by_typical
                pair[9] = math.log(1.0 + least * by_spacing) if count else 0.0
                pair[10] = least * by_typical
                pair[11] = average * by_typical
                pair[12] = pickups_near[j]
                pair[13] = deliveries_near[j]
                pair[14] = pickups_near[partner]
                pair[15] = deliveries_near[partner]
                pair[16] = is_pickup * squash((d - rival) * by_spacing)
                pair[17] = driven - mean
                pair[18] = driven - most
                pair[19] = nearest / max(d, nearest)
                pair[20] = j == home
                pair[21] = fill
                pair[22] = is_pickup * squash(max(lead, -FARTHEST) * by_spacing)
                pair[23] = is_pickup * min(max(lead * by_typical, -MOST_LEAD), MOST_LEAD)
                pair[24] = math.log(1.0 + onward[j] * by_spacing)
                pair[25] = onward[j] * by_typical
                past = onward[partner] * by_spacing
                pair[26] = math.log(1.0 + past) if is_pickup > 0.0 else 0.0
                pair[27] = squash(delay * by_typical)
                price = cost[m, k]
                whole = length[s, m] + price
                mine = feasible[s, m, k] and whole == least_cost[j]
                dearer = whole - (next_cost[j] if mine else least_cost[j])
                later = price + longer[m, k] * fleet_left
                whole += longer[m, k] * fleet_left
                mine = feasible[s, m, k] and whole == least_later[j]
                much_dearer = whole - (next_later[j] if mine else least_later[j])
                pair[28] = min(price * by_typical, MOST_COST)
                pair[29] = math.log(1.0 + max(price, 0.0) * by_spacing)
                pair[30] = detour[m, k] * by_typical
                pair[31] = math.log(1.0 + detour[m, k] * by_spacing)
                pair[32] = is_pickup * squash(max(dearer, -FARTHEST) * by_spacing)
                pair[33] = is_pickup * min(max(dearer * by_typical, -MOST_LEAD), MOST_LEAD)
                pair[34] = min(max(longer[m, k] * by_typical, -MOST_LEAD), MOST_LEAD)
                by_left = by_typical / (1.0 + fleet_left)
                pair[35] = min(max(later * by_left, -MOST_LEAD), MOST_COST)
                pair[36] = is_pickup * min(max(much_dearer * by_left, -MOST_LEAD), MOST_LEAD)
