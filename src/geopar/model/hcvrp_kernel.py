"""Looking at HCVRP states in compiled loops; see :mod:`geopar.model.hcvrp_features`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.model.features import NEIGHBOURS, TINY
from geopar.model.hcvrp_features import LEAD, MOST_TRIPS, QUEUE
from geopar.model.kernels import (
    MOST_WITHOUT_GRID,
    count_less,
    ensure,
    fill_grid,
    fill_up,
    first_open,
    insert,
    nearest_fitting,
    onward_of,
    squash,
)
from geopar.model.reach import NEAREST_SHARE, PRESELECTED

FARTHEST = 10.0


@inner
def _show(table: Any, sector: Any, num_sectors: int, tasks: Any, count: int, shown: Any) -> None:
    """What the depot shows: the farthest of each sector, the farthest and nearest of the rest."""
    size = shown.shape[0]
    few = size // NEAREST_SHARE
    lead = np.full(num_sectors, -1)
    for i in range(count):
        j = tasks[i]
        if lead[sector[j]] < 0 or table[j, 2] > table[lead[sector[j]], 2]:
            lead[sector[j]] = j
    keys, found = np.empty(size - few), shown[: size - few]
    n = 0
    for i in range(count):
        j = tasks[i]
        bonus = FARTHEST if table[lead[sector[j]], 2] == table[j, 2] else 0.0
        n = insert(keys, found, n, -(table[j, 2] + bonus), j)
    chosen = np.zeros(table.shape[0], dtype=np.bool_)
    for i in range(n):
        chosen[shown[i]] = True
    keys, found = np.empty(few), shown[size - few :]
    more = 0
    for i in range(count):
        if few and not chosen[tasks[i]]:
            more = insert(keys, found, more, table[tasks[i], 2], tasks[i])
    # Too few are open: the rest of the columns hold closed ones, each once.
    for i in range(size - few, size - few + more):
        chosen[shown[i]] = True
    for i in range(count):
        chosen[tasks[i]] = True
    spare = 0
    for i in range(size):
        if n <= i < size - few or i >= size - few + more:
            while chosen[spare]:
                spare += 1
            shown[i] = spare
            spare += 1


@inner
def _list_open(is_open: Any, tasks: Any) -> int:
    count = 0
    for j in range(is_open.shape[0]):
        if is_open[j]:
            tasks[count] = j
            count += 1
    return count


@inner
def list_stops(table: Any, home: int, start: int, follow: Any, stops: Any, legs: Any) -> int:
    """The stops of an open trip, the depot at both ends, and how far each is from the one before.

    ``legs`` begins with the second stop. How many stops there are.
    """
    stops[0] = home
    before, j, n = home, start, 1
    while True:
        dx, dy = table[j, 0] - table[before, 0], table[j, 1] - table[before, 1]
        legs[n - 1] = math.sqrt(dx * dx + dy * dy)
        stops[n] = j
        n += 1
        if j == home:
            return n
        before, j = j, follow[j]


@inner
def cheapest_place(table: Any, stops: Any, legs: Any, n: int, j: int) -> tuple[float, int, float]:
    """How much longer a trip becomes with a customer, behind which stop, and the nearest stop.

    The nearest customer of the trip, that is, infinitely far where there is none.
    """
    x, y = table[j, 0], table[j, 1]
    least, behind, nearest = np.inf, 0, np.inf
    before = table[j, 2]
    for i in range(1, n):
        k = stops[i]
        dx, dy = table[k, 0] - x, table[k, 1] - y
        gap = math.sqrt(dx * dx + dy * dy)
        extra = before + gap - legs[i - 1]
        if extra < least:
            least, behind = extra, i - 1
        if i < n - 1:
            nearest = min(nearest, gap)
        before = gap
    return least, behind, nearest


@inner
def _choose(
    table: Any, sector: Any, num_sectors: int, demand: Any, lightest: float, tasks: Any, count: int,
    is_open: Any, home: int, place: Any, position: Any, left: Any, start: Any, follow: Any,
    stops: Any, legs: Any, candidates: Any,
) -> None:  # fmt: skip
    """The candidates of every vehicle of one row; home is in the last column."""
    size = candidates.shape[1] - 1
    gridded = count > MOST_WITHOUT_GRID
    room = 3 * count + 8 if gridded else 1
    shape, first = np.empty(5), np.empty(room, dtype=np.int64)
    member = np.empty(count if gridded else 1, dtype=np.int64)
    shown, has_shown = np.empty(size, dtype=np.int64), False
    keys, used = np.empty(size), np.zeros(home + 1, dtype=np.bool_)
    near = np.empty(PRESELECTED * size, dtype=np.int64)
    near_keys = np.empty(near.shape[0])
    if gridded:
        fill_grid(table, tasks, count, shape, first, member)
    for m in range(place.shape[0]):
        row = candidates[m]
        row[size] = home
        useful = False
        if place[m] == home and count:
            if not has_shown:
                _show(table, sector, num_sectors, tasks, count, shown)
                has_shown = True
            for i in range(size):
                row[i] = shown[i]
                useful = useful or (is_open[row[i]] and demand[row[i]] <= left[m])
        if useful:
            continue
        n = 0
        if lightest > left[m]:
            pass
        elif place[m] != home:
            at_hand, some = tasks, count
            if count > near.shape[0]:
                at_hand, some = near, nearest_fitting(
                    table, position[m, 0], position[m, 1], demand, left[m], tasks, count, gridded,
                    shape, first, member, near_keys, near,
                )  # fmt: skip
            length = list_stops(table, home, start[m], follow, stops, legs)
            for i in range(some):
                j = at_hand[i]
                if demand[j] <= left[m]:
                    extra = cheapest_place(table, stops, legs, length, j)[0]
                    n = insert(keys, row, n, extra, j)
        else:
            n = nearest_fitting(
                table, position[m, 0], position[m, 1], demand, left[m], tasks, count, gridded,
                shape, first, member, keys, row,
            )  # fmt: skip
        fill_up(row[:size], n, used)


@inner
def _crowd(near: Any, is_open: Any, table: Any, j: int) -> tuple[float, float]:
    """The open share of a customer's neighbourhood, and the mean open demand in it."""
    size = min(near.shape[1], NEIGHBOURS)
    if not size:
        return 0.0, 0.0
    share, load = 0.0, 0.0
    for i in range(size):
        k = near[j, i]
        if is_open[k]:
            share += 1.0
            load += table[k, 5]
    return share / size, load / size


@inner
def _take_turns(turns: int, home: int, place: Any, again: Any, active: Any, rank: Any) -> int:
    """Of all at the depot only the first may go, those who would be home again soonest.

    The others become inactive; no turns are turns for all. Ranks are filled, zero for who is
    elsewhere. How many have a turn.
    """
    fleet = place.shape[0]
    most = turns if turns else fleet
    keys, who = np.empty(most), np.empty(most, dtype=np.int64)
    count = 0
    for m in range(fleet):
        rank[m] = 0
        if place[m] == home and active[m]:
            count = insert(keys, who, count, again[m], m)
            active[m] = False
    for i in range(count):
        active[who[i]] = True
        rank[who[i]] = i
    return count


@compiled
def look(
    table: Any, work: Any, demand: Any, full: Any, capacity: Any, speed: Any, scale: Any,
    sector: Any, num_sectors: int, near: Any, total: int, turns: int,
    place: Any, position: Any, length: Any, left: Any, is_open: Any, start: Any, follow: Any,
    choose: bool, include: Any, want_all: bool,
    candidates: Any, feasible: Any, agents: Any, fleet: Any, active: Any, pairs: Any,
) -> None:  # fmt: skip
    """Fill everything that :class:`geopar.model.look.Look` holds, row by row.

    Parameters
    ----------
    table, work, demand, full, capacity, speed, scale, sector, num_sectors, near, total, turns
        The instances: tables, float64 demands, capacities, relative capacities, speeds, the four
        numbers of each instance (spacing, mean and largest depot distance, estimated makespan),
        sectors, neighbourhoods, how many customers there were, and how many
        vehicles may leave the depot at once.
    place, position, length, left, is_open, start, follow
        The states, one row each.
    choose
        Whether to choose the candidates.
    include
        ``(rows, M)`` tasks that must be candidates, or none.
    want_all
        Whether to fill ``pairs`` also of customers that are not allowed and of vehicles that have
        no choice.
    candidates, feasible, agents, fleet, active, pairs
        The results.
    """
    rows, fleet_size = place.shape
    rollouts = rows // table.shape[0]
    home = demand.shape[1] - 1
    columns = feasible.shape[2]
    tasks = np.empty(home + 1, dtype=np.int64)
    back, elapsed, finish = np.empty(fleet_size), np.empty(fleet_size), np.empty(fleet_size)
    again = np.empty(fleet_size)
    rank, earlier = np.empty(fleet_size, dtype=np.int64), np.empty(fleet_size, dtype=np.int64)
    gap, after = np.empty((fleet_size, columns)), np.empty((fleet_size, columns))
    first, second = np.empty(home + 1), np.empty(home + 1)
    soonest, next_soonest = np.empty(home + 1), np.empty(home + 1)
    share, load = np.empty(home + 1), np.empty(home + 1)
    next_at, next_gap = np.empty(home + 1, dtype=np.int64), np.empty(home + 1)
    seen = np.full(home + 1, -1)
    extra, close = np.empty((fleet_size, columns)), np.empty((fleet_size, columns))
    stops, legs = np.empty(home + 2, dtype=np.int64), np.empty(home + 2)
    for s in range(rows):
        b = s // rollouts
        spacing, mean_away, most_away = scale[b, 0], scale[b, 1], scale[b, 2]
        makespan = scale[b, 3]
        # Taken once: for every slice of an array somebody counts who holds it.
        area, around, still, load_of = table[b], near[b], is_open[s], demand[b]
        count = _list_open(still, tasks)
        lightest, work_left, away_left, load_left = np.inf, 0.0, 0.0, 0.0
        for i in range(count):
            lightest = min(lightest, demand[b, tasks[i]])
            work_left += work[b, tasks[i]]
            away_left += area[tasks[i], 2]
            load_left += load_of[tasks[i]]
        away_left /= max(count, 1)
        # The fleet.
        mean, most, at_depot, on_the_way = 0.0, 0.0, 0, 0.0
        mean_speed, mean_capacity = 0.0, 0.0
        x0, y0 = table[b, home, 0], table[b, home, 1]
        for m in range(fleet_size):
            back[m] = math.hypot(position[s, m, 0] - x0, position[s, m, 1] - y0)
            elapsed[m] = length[s, m] / (speed[b, m] * makespan)
            finish[m] = elapsed[m] + back[m] / (speed[b, m] * makespan)
            mean += finish[m] / fleet_size
            most = max(most, finish[m])
            if place[s, m] == home:
                at_depot += 1
            else:
                on_the_way += left[s, m]
            mean_speed += speed[b, m] / fleet_size
            mean_capacity += capacity[b, m] / fleet_size
        outlook = max(mean + work_left, most)
        fleet[s, 0] = count / total
        fleet[s, 1] = work_left
        fleet[s, 2] = mean
        fleet[s, 3] = most
        fleet[s, 4] = most - mean
        fleet[s, 5] = outlook
        fleet[s, 6] = at_depot / fleet_size
        fleet[s, 7] = squash(count / fleet_size)
        for m in range(fleet_size):
            fill = left[s, m] / full[b, m]
            agents[s, m, 0] = place[s, m] == home
            agents[s, m, 1] = fill
            agents[s, m, 2] = elapsed[m]
            agents[s, m, 3] = finish[m]
            agents[s, m, 4] = finish[m] - mean
            agents[s, m, 5] = finish[m] - most
            agents[s, m, 6] = finish[m] - outlook
            agents[s, m, 7] = back[m] / mean_away
            agents[s, m, 8] = squash(back[m] / spacing)
            agents[s, m, 9] = speed[b, m] / mean_speed - 1.0
            agents[s, m, 10] = capacity[b, m] / mean_capacity - 1.0
            agents[s, m, 11] = capacity[b, m] * fill / mean_capacity
            active[s, m] = lightest <= left[s, m]
            again[m] = finish[m] + 2.0 * away_left / (speed[b, m] * makespan)
        count_less(finish, earlier)
        ready = _take_turns(turns, home, place[s], again, active[s], rank)
        for m in range(fleet_size):
            agents[s, m, 12] = earlier[m] / fleet_size
            agents[s, m, 13] = squash(rank[m] / QUEUE)
            agents[s, m, 14] = squash(ready / QUEUE)
            agents[s, m, 15] = again[m] - outlook
            agents[s, m, 16] = min(load_left / full[b, m], MOST_TRIPS)
            agents[s, m, 17] = min(max((load_left - on_the_way) / full[b, m], -1.0), MOST_TRIPS)
        # Who looks at what.
        if choose:
            _choose(
                table[b], sector[b], num_sectors, demand[b], lightest, tasks, count, is_open[s],
                home, place[s], position[s], left[s], start[s], follow[s], stops, legs,
                candidates[s],
            )  # fmt: skip
            if include.shape[0]:
                for m in range(fleet_size):
                    ensure(candidates[s, m, :-1], include[s, m], home)
        everybody = at_depot == fleet_size
        for m in range(fleet_size):
            for k in range(columns):
                j = candidates[s, m, k]
                if j == home:
                    feasible[s, m, k] = not (everybody and active[s, m])
                else:
                    fits = is_open[s, j] and demand[b, j] <= left[s, m]
                    feasible[s, m, k] = fits and active[s, m]
        # The neighbourhoods of all that somebody looks at, each once.
        for m in range(fleet_size):
            if not (want_all or active[s, m]):
                continue
            for k in range(columns):
                j = candidates[s, m, k]
                if seen[j] != s:
                    seen[j] = s
                    first[j], second[j] = np.inf, np.inf
                    soonest[j], next_soonest[j] = np.inf, np.inf
                    share[j], load[j] = 0.0, 0.0
                    if j < home:
                        share[j], load[j] = _crowd(around, still, area, j)
                        next_at[j] = first_open(around, still, j)
                        # Anything would fit: what is looked up is how far the first one is.
                        next_gap[j] = onward_of(area, around, load_of, np.inf, still, j, next_at[j])
        for m in range(fleet_size):
            if not (want_all or active[s, m]):
                continue
            pace = 1.0 / (speed[b, m] * makespan)
            trip = list_stops(area, home, start[s, m], follow[s], stops, legs)
            for k in range(columns):
                j = candidates[s, m, k]
                dx, dy = area[j, 0] - position[s, m, 0], area[j, 1] - position[s, m, 1]
                gap[m, k] = math.sqrt(dx * dx + dy * dy)
                extra[m, k] = gap[m, k] + area[j, 2] - back[m]
                close[m, k] = gap[m, k]
                if j < home and (want_all or feasible[s, m, k]):
                    least, _, nearest = cheapest_place(area, stops, legs, trip, j)
                    extra[m, k], close[m, k] = least, min(nearest, gap[m, k])
                after[m, k] = finish[m] + extra[m, k] * pace
                if feasible[s, m, k] and j < home:
                    if after[m, k] < soonest[j]:
                        soonest[j], next_soonest[j] = after[m, k], soonest[j]
                    elif after[m, k] < next_soonest[j]:
                        next_soonest[j] = after[m, k]
                    if gap[m, k] < first[j]:
                        first[j], second[j] = gap[m, k], first[j]
                    elif gap[m, k] < second[j]:
                        second[j] = gap[m, k]
        for m in range(fleet_size):
            if not (want_all or active[s, m]):
                continue
            nearest = FARTHEST
            for k in range(columns):
                j = candidates[s, m, k]
                if feasible[s, m, k] and j < home:
                    nearest = min(nearest, gap[m, k])
            nearest = max(nearest, TINY)
            room = max(left[s, m] / full[b, m] * capacity[b, m], TINY)
            dx, dy = position[s, m, 0] - x0, position[s, m, 1] - y0
            # Products take less time than quotients.
            by_spacing, by_behind = 1.0 / spacing, 1.0 / max(back[m], TINY)
            by_room, by_capacity = 1.0 / room, 1.0 / capacity[b, m]
            by_mean, by_most = 1.0 / mean_away, 1.0 / most_away
            row = pairs[s, m]
            for k in range(columns):
                j = candidates[s, m, k]
                if not (want_all or feasible[s, m, k] or j == home):
                    continue
                away, east, north = area[j, 2], area[j, 3], area[j, 4]
                weight, d = area[j, 5], gap[m, k]
                mine = feasible[s, m, k] and d == first[j]
                rival = min(second[j] if mine else first[j], FARTHEST)
                home_at = after[m, k]
                mine = feasible[s, m, k] and home_at == soonest[j]
                lead = home_at - (next_soonest[j] if mine else soonest[j])
                onward = 0.0
                if j < home:
                    onward, rest = next_gap[j], left[s, m] - load_of[j]
                    at = next_at[j]
                    if at < around.shape[1] and load_of[around[j, at]] > rest:
                        onward = onward_of(area, around, load_of, rest, still, j, at + 1)
                row[k, 0] = math.log(1.0 + d * by_spacing)
                row[k, 1] = d * by_mean
                row[k, 2] = squash(extra[m, k] * by_spacing)
                row[k, 3] = (back[m] + away - d) / max(back[m] + away, TINY)
                row[k, 4] = squash(abs(dx * north - dy * east) * by_behind * away * by_spacing)
                row[k, 5] = (dx * east + dy * north) * by_behind
                row[k, 6] = away * by_most
                row[k, 7] = squash((away - back[m]) * by_spacing)
                row[k, 8] = min(weight * by_room, 1.0)
                row[k, 9] = weight * by_capacity
                row[k, 10] = max(room - weight, 0.0) * by_capacity
                row[k, 11] = share[j]
                row[k, 12] = min(load[j] * 8.0 * by_room, 2.0)
                row[k, 13] = squash((d - rival) * by_spacing)
                row[k, 14] = home_at
                row[k, 15] = home_at - mean
                row[k, 16] = home_at - most
                row[k, 17] = home_at - outlook
                row[k, 18] = j == home
                row[k, 19] = nearest / max(d, nearest)
                row[k, 20] = min(max(LEAD * lead, -2.0), 2.0)
                row[k, 21] = math.log(1.0 + onward * by_spacing)
                row[k, 22] = squash((onward - away) * by_spacing)
                row[k, 23] = extra[m, k] * by_mean
                row[k, 24] = math.log(1.0 + close[m, k] * by_spacing)
                dear = extra[m, k] - 2.0 * away * weight * by_capacity
                row[k, 25] = dear * by_mean
                row[k, 26] = squash(dear * by_spacing)
