"""The trip that earns most beside what it takes, by dynamic programming over loads.

Trips may come back to a customer, but not while it is remembered: each customer remembers some of
its neighbours, and a trip those that were visited and that every customer since then remembers
(ng-routes; Baldacci, Mingozzi & Roberti 2011, "New route relaxation and pricing strategies for the
vehicle routing problem", Operations Research 59). Every real trip is among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.bounds.sorts import Fleet, Floats, Ints
from geopar.compiled.jit import compiled

NEVER = 1e300


class Memory(NamedTuple):
    """What trips remember.

    Parameters
    ----------
    own
        The memory that a trip has at its first customer.
    then
        What becomes of a memory from one customer to another; -1 where it may not go.
    """

    own: Ints
    then: NDArray[np.int16]


class Table(NamedTuple):
    """The cheapest beginnings of trips, by load, last customer and memory, and how each came."""

    cost: Floats
    came: NDArray[np.int32]


class Best(NamedTuple):
    """The best trip that ends with each customer: what it costs, its load and memory."""

    cost: Floats
    load: Ints
    memory: Ints


def memory_of(fleet: Fleet, size: int) -> Memory:
    """Each customer remembers itself and its nearest, ``size`` in all."""
    count = len(fleet.load)
    size = min(size, count)
    away = np.array(fleet.sorts[0].table[:count, :count])
    np.fill_diagonal(away, -1.0)
    near = np.argsort(away, axis=1, kind="stable")[:, :size]
    return Memory(np.ones(count, dtype=np.int64), _transitions(near))


def empty_table(fleet: Fleet, memory: Memory) -> Table:
    """Room for the trips of the largest vehicle."""
    largest = max(sort.capacity for sort in fleet.sorts)
    shape = largest + 1, len(fleet.load), memory.then.shape[2]
    return Table(np.empty(shape), np.empty(shape, dtype=np.int32))


@compiled(allocates=True)
def _transitions(near: Ints) -> NDArray[np.int16]:
    count, size = near.shape
    memories = 1 << size
    place = np.full((count, count), -1, dtype=np.int64)
    for i in range(count):
        for b in range(size):
            place[i, near[i, b]] = b
    then = np.empty((count, count, memories), dtype=np.int16)
    for i in range(count):
        for j in range(count):
            for m in range(memories):
                if place[i, j] >= 0 and (m >> place[i, j]) & 1:
                    then[i, j, m] = -1
                    continue
                kept = 1  # each is the first of those that it remembers
                for b in range(size):
                    if (m >> b) & 1 and place[j, near[i, b]] >= 0:
                        kept |= 1 << place[j, near[i, b]]
                then[i, j, m] = kept
    return then


@compiled
def fill(
    times: Floats,
    load: Ints,
    capacity: int,
    prices: Floats,
    rate: float,
    memory: Memory,
    table: Table,
) -> None:
    """Find the least of ``rate`` times its duration less its prices, of every beginning."""
    count, memories = len(load), memory.then.shape[2]
    cost, came, then = table.cost, table.came, memory.then
    cost[: capacity + 1] = NEVER
    for i in range(count):
        if load[i] <= capacity:
            cost[load[i], i, memory.own[i]] = rate * times[count, i] - prices[i]
            came[load[i], i, memory.own[i]] = -1
    for q in range(1, capacity + 1):
        for i in range(count):
            for m in range(memories):
                so_far = cost[q, i, m]
                if so_far == NEVER:
                    continue
                for j in range(count):
                    full = q + load[j]
                    if full > capacity or then[i, j, m] < 0:
                        continue
                    with_it = so_far + rate * times[i, j] - prices[j]
                    k = np.int64(then[i, j, m])
                    if with_it < cost[full, j, k]:
                        cost[full, j, k] = with_it
                        came[full, j, k] = i * memories + m


@compiled
def close(times: Floats, capacity: int, rate: float, table: Table, best: Best) -> None:
    """Send every beginning home; the best for each last customer."""
    count, memories = table.cost.shape[1], table.cost.shape[2]
    best.cost[:] = NEVER
    for q in range(1, capacity + 1):
        for i in range(count):
            home = rate * times[i, count]
            for m in range(memories):
                if table.cost[q, i, m] + home < best.cost[i]:
                    best.cost[i] = table.cost[q, i, m] + home
                    best.load[i], best.memory[i] = q, m


def trip_to(table: Table, best: Best, load: Ints, last: int) -> list[int]:
    """The best trip that ends with a customer."""
    q, i, m = int(best.load[last]), last, int(best.memory[last])
    memories = table.cost.shape[2]
    trip = [i]
    while (before := int(table.came[q, i, m])) >= 0:
        q -= int(load[i])
        i, m = divmod(before, memories)
        trip.append(i)
    return trip[::-1]


class Pricing:
    """Best trips of each sort of vehicle, at any prices.

    Parameters
    ----------
    fleet
        Whose trips.
    remembered
        How many customers each remembers: more are nearer to real trips, and take twice as long
        each.
    """

    def __init__(self, fleet: Fleet, remembered: int) -> None:
        self._fleet, self._memory = fleet, memory_of(fleet, remembered)
        self._table = empty_table(fleet, self._memory)
        count = len(fleet.load)
        whole = np.zeros(count, dtype=np.int64)
        self._best = Best(np.empty(count), whole, whole.copy())

    def best_trips(
        self, sort: int, prices: Floats, rate: float, most: int
    ) -> list[tuple[float, list[int]]]:
        """The best trips of a sort that end with different customers, best first.

        A trip costs ``rate`` times its duration less the prices of its customers.
        """
        one = self._fleet.sorts[sort]
        fill(one.table, self._fleet.load, one.capacity, prices, rate, self._memory, self._table)
        close(one.table, one.capacity, rate, self._table, self._best)
        cost = self._best.cost
        some = np.argsort(cost, kind="stable")[:most]
        return [
            (float(cost[i]), trip_to(self._table, self._best, self._fleet.load, int(i)))
            for i in some
            if cost[i] < NEVER
        ]

    def duration(self, sort: int, trip: list[int]) -> float:
        """How long the first vehicle of a sort takes for a trip."""
        table = self._fleet.sorts[sort].table
        ways = [len(table) - 1, *trip, len(table) - 1]
        return float(table[ways[:-1], ways[1:]].sum())
