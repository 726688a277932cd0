"""Populations of plans as genes, a permutation of the customers with a vehicle for each.

The operators are those that the genetic and the annealing literature on vehicle routing share:
see Karakatič & Podgorelec (2015) and İlhan (2021).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import State, below, uniform
from geopar.peers.classical.decode import Floats, Genes, Individual, Instance
from geopar.plan import Indices


class Population(NamedTuple):
    """Plans and what each costs; ``numbers`` are counters of the algorithm, ``scratch`` is of N."""

    order: Genes
    vehicle: Genes
    cost: Floats
    scratch: Genes
    numbers: Indices


def new_population(size: int, num_tasks: int, numbers: list[int]) -> Population:
    """So many plans, none of them made yet."""
    return Population(
        order=np.zeros((size, num_tasks), dtype=np.int32),
        vehicle=np.zeros((size, num_tasks), dtype=np.int32),
        cost=np.full(size, np.inf),
        scratch=np.zeros(num_tasks, dtype=np.int32),
        numbers=np.array(numbers),
    )


def individual(population: Population, i: int) -> Individual:
    """One of the plans; compiled code calls it ``member``."""
    return Individual(population.order[i], population.vehicle[i])


member = inner(individual)


@inner
def copy(source: Individual, target: Individual) -> None:
    """Make ``target`` as ``source``."""
    for i in range(len(source.order)):
        target.order[i] = source.order[i]
        target.vehicle[i] = source.vehicle[i]


@inner
def cut(random: State, n: int) -> tuple[int, int]:
    """Two random places, the earlier first; they may be the same."""
    first, last = below(random, n), below(random, n)
    return min(first, last), max(first, last)


@inner
def order_crossover(random: State, one: Genes, other: Genes, child: Genes, place: Genes) -> None:
    """OX (Davis 1985): a slice of one, then the rest in the sequence of the other.

    ``place`` is scratch space for N.
    """
    n = len(one)
    first, last = cut(random, n)
    take_slice(one, child, place, first, last)
    free = last
    for i in range(1, n + 1):
        customer = other[(last + i) % n]
        if place[customer] < 0:
            free = (free + 1) % n
            child[free] = customer


@inner
def partially_mapped_crossover(
    random: State, one: Genes, other: Genes, child: Genes, place: Genes
) -> None:
    """PMX (Goldberg & Lingle 1985): a slice of one, the rest where the other has it, if it can be.

    A customer whose place the slice took goes to where the other has the slice's customer.
    """
    first, last = cut(random, len(one))
    take_slice(one, child, place, first, last)
    for i in range(len(one)):
        if i < first or i > last:
            customer = other[i]
            while place[customer] >= 0:
                customer = other[place[customer]]
            child[i] = customer


@inner
def take_slice(one: Genes, child: Genes, place: Genes, first: int, last: int) -> None:
    """Copy a slice, both ends included; ``place`` then tells where a customer is in it, or -1."""
    for i in range(len(place)):
        place[i] = -1
    for i in range(first, last + 1):
        child[i] = one[i]
        place[one[i]] = i


@inner
def mix_vehicles(random: State, one: Genes, other: Genes, child: Genes) -> None:
    """Each customer keeps the vehicle of one parent or the other: whatever fitted still does."""
    for i in range(len(one)):
        child[i] = one[i] if uniform(random) < 0.5 else other[i]


@inner
def reverse(order: Genes, first: int, last: int) -> None:
    """Reverse a slice, both ends included."""
    while first < last:
        order[first], order[last] = order[last], order[first]
        first += 1
        last -= 1


@inner
def shift(order: Genes, source: int, target: int) -> None:
    """Move what is at ``source`` to ``target``, and what is between them by one."""
    customer = order[source]
    step = 1 if source < target else -1
    for i in range(source, target, step):
        order[i] = order[i + step]
    order[target] = customer


@inner
def fits(instance: Instance, customer: int, v: int) -> bool:
    """Whether a vehicle can carry a customer at all."""
    return instance.demand[customer] <= instance.capacity[v]  # type: ignore[no-any-return]
