"""The compiled part of SISR: one ruin, one recreate, one judgement, many times over.

See :mod:`geopar.peers.classical.sisr` for what it is and where it comes from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import State, below, uniform
from geopar.peers.classical.decode import Floats, Instance
from geopar.peers.classical.linked import (
    NOWHERE,
    Trips,
    copy_trip,
    copy_trips,
    empty_trips,
    insert,
    latest,
    recount,
    remove,
)
from geopar.plan import Indices

Neighbours = NDArray[np.int32]

# From 20,000 customers on the neighbours become fewer, or finding them would take too long.
MOST_NEIGHBOURS_IN_ALL = 2_000_000
FEWEST_NEIGHBOURS = 20
# Of the longer side of the instance.
NUDGE = 1e-9


class Rules(NamedTuple):
    """The parameters that compiled code needs, temperatures per unit of the normalised instance."""

    c_bar: float
    L_max: float
    alpha: float
    beta: float
    split: float
    epsilon: float
    first_temperature: float
    cooling: float


class Search(NamedTuple):
    """All that a run changes.

    ``kept`` is the plan that the search is at, ``work`` the one being tried, ``best`` the best.
    ``touched`` lists the trips in which ``work`` differs from ``kept``, ``touched_at`` and
    ``seen_at`` say when a trip was last touched or looked at, ``removed`` holds the customers to
    put back and ``keys`` their order. ``numbers`` and ``costs`` are indexed by the names below.
    """

    kept: Trips
    work: Trips
    best: Trips
    near: Neighbours
    touched: Indices
    touched_at: Indices
    seen_at: Indices
    removed: Indices
    keys: Floats
    numbers: Indices
    costs: Floats


# Indices into ``numbers``: the iteration, the last look, an id that may be free, trips in ``work``,
# trips touched, customers removed.
CLOCK, LOOK, FREE, TRIPS, TOUCHED, REMOVED = range(6)
# Indices into ``costs``: what the search sees of ``kept``, and the makespan of ``best``.
CURRENT, BEST = range(2)


def new_search(instance: Instance, trips: Trips, neighbours: int, epsilon: float) -> Search:
    """A search that is at these trips, looking at so many neighbours of a customer."""
    n, m, ids = len(instance.demand), len(instance.capacity), len(trips.size)
    work, best = empty_trips(n, m), empty_trips(n, m)
    copy_trips(trips, work)
    copy_trips(trips, best)
    makespan = trips.finish.max()
    return Search(
        kept=trips,
        work=work,
        best=best,
        near=nearest(instance, min(neighbours, n - 1)),
        touched=np.zeros(ids, dtype=np.int64),
        touched_at=np.zeros(ids, dtype=np.int64),
        seen_at=np.zeros(ids, dtype=np.int64),
        removed=np.zeros(n, dtype=np.int64),
        keys=np.zeros(n),
        numbers=np.zeros(6, dtype=np.int64),
        costs=np.array([makespan + epsilon * trips.finish.sum(), makespan]),
    )


def nearest(instance: Instance, count: int) -> Neighbours:
    """Each customer's nearest, itself first."""
    places = np.stack([instance.x, instance.y], axis=1)[:-1]
    if count == 0:
        return np.arange(len(places), dtype=np.int32)[:, None]
    # Nudged apart, because a tree cannot part customers in one place and would take forever.
    places = places + NUDGE * np.random.default_rng(0).random(places.shape)
    count = min(count, max(FEWEST_NEIGHBOURS, MOST_NEIGHBOURS_IN_ALL // len(places)))
    found = np.asarray(cKDTree(places).query(places, count + 1)[1])
    return found.astype(np.int32, order="C")


@compiled
def one_trip_each(instance: Instance, trips: Trips, order: Indices) -> None:
    """A trip for every customer, each with the vehicle that is then home first."""
    for t in range(len(order)):
        customer = order[t]
        best, best_finish = -1, np.inf
        for i in range(instance.fitting[customer]):
            v = instance.by_capacity[i]
            finish = trips.finish[v] + 2.0 * instance.home[customer] * instance.slowness[v]
            if finish < best_finish:
                best, best_finish = v, finish
        trips.vehicle[t] = best
        insert(instance, trips, customer, t, len(order))


@compiled
def anneal(
    instance: Instance,
    search: Search,
    rules: Rules,
    random: State,
    count: int,
    begin: float,
    end: float,
) -> None:
    """Ruin, recreate and judge ``count`` times, from one fraction of the run to another."""
    temperature = rules.first_temperature * rules.cooling**begin
    cooling = rules.cooling ** ((end - begin) / count)
    kept, work, numbers, costs = search.kept, search.work, search.numbers, search.costs
    kept_trips = recount(instance, kept)
    recount(instance, work)
    for _ in range(count):
        numbers[CLOCK] += 1
        numbers[TOUCHED] = 0
        numbers[TRIPS] = kept_trips
        ruin(instance, search, rules, random)
        sort_removed(instance, search, random)
        for i in range(numbers[REMOVED]):
            put_back(instance, search, rules, random, search.removed[i])
        makespan = latest(work.finish)
        cost = makespan
        for v in range(len(work.finish)):
            cost += rules.epsilon * work.finish[v]
        if cost < costs[CURRENT] - temperature * np.log(1.0 - uniform(random)):
            for i in range(numbers[TOUCHED]):
                copy_trip(work, kept, search.touched[i])
            kept_trips = numbers[TRIPS]
            costs[CURRENT] = cost
            if makespan < costs[BEST]:
                costs[BEST] = makespan
                copy_trips(work, search.best)
        else:
            for i in range(numbers[TOUCHED]):
                copy_trip(kept, work, search.touched[i])
        temperature *= cooling


@inner(forceinline=True)
def ruin(instance: Instance, search: Search, rules: Rules, random: State) -> None:
    """Remove one string from each of a few trips around a random customer."""
    n, numbers = len(search.removed), search.numbers
    numbers[REMOVED] = 0
    longest = min(rules.L_max, n / numbers[TRIPS])
    most = 4.0 * rules.c_bar / (1.0 + longest) - 1.0
    left = int(1.0 + uniform(random) * most)
    seed = below(random, n)
    for i in range(search.near.shape[1]):
        customer = np.int64(search.near[seed, i])
        t = search.work.trip[customer]
        if t == NOWHERE or search.touched_at[t] == numbers[CLOCK]:
            continue
        touch(search, t)
        remove_string(instance, search, rules, random, customer, longest)
        left -= 1
        if left <= 0:
            break


@inner(forceinline=True)
def touch(search: Search, t: int) -> None:
    """Note that trip ``t`` of ``work`` is about to change."""
    numbers = search.numbers
    if search.touched_at[t] != numbers[CLOCK]:
        search.touched_at[t] = numbers[CLOCK]
        search.touched[numbers[TOUCHED]] = t
        numbers[TOUCHED] += 1


@inner(forceinline=True)
def remove_string(
    instance: Instance,
    search: Search,
    rules: Rules,
    random: State,
    customer: int,
    longest: float,
) -> None:
    """Remove neighbours in a trip, this customer among them, perhaps all but a few in between."""
    work, numbers = search.work, search.numbers
    n, t = len(search.removed), work.trip[customer]
    size = work.size[t]
    length = min(size, int(1.0 + uniform(random) * min(float(size), longest)))
    spared = 0
    if length < size and uniform(random) < rules.split:
        spared = 1
        while length + spared < size and uniform(random) < rules.alpha:
            spared += 1
    ahead, place = 0, work.before[customer]
    while place != n:
        ahead, place = ahead + 1, work.before[place]
    earliest = max(0, ahead - length - spared + 1)
    choices = min(ahead, size - length - spared) - earliest + 1
    back = ahead - earliest - below(random, choices)
    place = customer
    for _ in range(back):
        place = work.before[place]
    first_spared = below(random, length + 1)
    for i in range(length + spared):
        onward = work.after[place]
        if not first_spared <= i < first_spared + spared:
            remove(instance, work, place)
            search.removed[numbers[REMOVED]] = place
            numbers[REMOVED] += 1
        place = onward
    # The load anew, so that no rounding gathers over millions of iterations.
    load, place = 0.0, work.first[t]
    while place != n:
        load += instance.demand[place]
        place = work.after[place]
    work.load[t] = load
    if work.size[t] == 0:
        numbers[TRIPS] -= 1


@inner(forceinline=True)
def sort_removed(instance: Instance, search: Search, random: State) -> None:
    """Order by chance, by demand, far first or near first, with the method's weights 4, 4, 2, 1."""
    removed, keys, count = search.removed, search.keys, search.numbers[REMOVED]
    rule = below(random, 11)
    for i in range(count):
        if rule < 4:
            key = uniform(random)
        elif rule < 8:
            key = -instance.demand[removed[i]]
        elif rule < 10:
            key = -instance.home[removed[i]]
        else:
            key = instance.home[removed[i]]
        customer, j = removed[i], i
        while j > 0 and keys[j - 1] > key:
            keys[j], removed[j] = keys[j - 1], removed[j - 1]
            j -= 1
        keys[j], removed[j] = key, customer


@inner(forceinline=True)
def put_back(
    instance: Instance, search: Search, rules: Rules, random: State, customer: int
) -> None:
    """Insert a customer where the makespan grows least and, among equals, where it costs least.

    A new trip competes with every place in the trips around; without that, no balance.
    """
    work, numbers = search.work, search.numbers
    makespan = latest(work.finish)
    numbers[LOOK] += 1
    best_t, best_place, best_v = NOWHERE, len(search.removed), NOWHERE
    best_finish, best_extra = np.inf, np.inf
    unseen = numbers[TRIPS]
    for i in range(search.near.shape[1]):
        if unseen == 0:
            break
        t = work.trip[search.near[customer, i]]
        if t == NOWHERE or search.seen_at[t] == numbers[LOOK]:
            continue
        search.seen_at[t] = numbers[LOOK]
        unseen -= 1
        v = work.vehicle[t]
        if work.load[t] + instance.demand[customer] > instance.capacity[v]:
            continue
        length, place = cheapest_place(instance, search, rules, random, customer, t)
        extra = length * instance.slowness[v]
        finish = max(makespan, work.finish[v] + extra)
        if finish < best_finish or (finish == best_finish and extra < best_extra):
            best_t, best_place, best_finish, best_extra = t, place, finish, extra
    for i in range(instance.fitting[customer]):
        v = instance.by_capacity[i]
        extra = 2.0 * instance.home[customer] * instance.slowness[v]
        finish = max(makespan, work.finish[v] + extra)
        if (finish < best_finish or (finish == best_finish and extra < best_extra)) and (
            best_finish == np.inf or uniform(random) >= rules.beta
        ):
            best_t, best_v, best_finish, best_extra = NOWHERE, v, finish, extra
    if best_t == NOWHERE:
        best_t, best_place = free_trip(search), len(search.removed)
        touch(search, best_t)
        work.vehicle[best_t] = best_v
        work.load[best_t] = 0.0
        numbers[TRIPS] += 1
    touch(search, best_t)
    insert(instance, work, customer, best_t, best_place)


@inner(forceinline=True)
def cheapest_place(
    instance: Instance, search: Search, rules: Rules, random: State, customer: int, t: int
) -> tuple[float, int]:
    """The least detour that trip ``t`` makes for a customer, and after whom; infinite if unseen.

    Whether a place is overlooked matters only if it would be the best, so only then it is drawn.
    """
    work, n = search.work, len(search.removed)
    x, y = instance.x[customer], instance.y[customer]
    best, best_place = np.inf, n
    place, there = n, instance.home[customer]
    following = work.first[t]
    while True:
        dx, dy = instance.x[following] - x, instance.y[following] - y
        onward = np.sqrt(dx * dx + dy * dy)
        direct = instance.home[place] if following == n else work.leg[following]
        if there + onward - direct < best and uniform(random) >= rules.beta:
            best, best_place = there + onward - direct, place
        if following == n:
            return best, best_place
        place, there, following = following, onward, work.after[following]


@inner(forceinline=True)
def free_trip(search: Search) -> int:
    """The id of a trip without customers."""
    numbers, size = search.numbers, search.work.size
    while size[numbers[FREE]] > 0:
        numbers[FREE] += 1
        if numbers[FREE] == len(size):
            numbers[FREE] = 0
    return numbers[FREE]  # type: ignore[no-any-return]
