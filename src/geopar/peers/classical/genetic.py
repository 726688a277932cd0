"""A genetic algorithm for the HCVRP: one of the paper's classical baselines.

S. Karakatič and V. Podgorelec (2015), "A survey of genetic algorithms for solving multi depot
vehicle routing problem", Applied Soft Computing 27. A survey of operators; which of them the paper
ran is not published.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import State, below, seed_state, uniform
from geopar.peers.classical.common import (
    ABOVE_ZERO,
    better_plan,
    check_parameters,
    compile_by_running,
    require_hcvrp,
)
from geopar.peers.classical.crossover import (
    Individual,
    copy,
    cut,
    fits,
    mix_vehicles,
    order_crossover,
    reverse,
    shift,
)
from geopar.peers.classical.decode import (
    Fleet,
    Floats,
    Genes,
    Instance,
    draw_plan,
    draw_vehicle,
    drive,
    idle_fleet,
    join,
    makespan_of,
    normalised,
    split,
)
from geopar.plan import Indices, Plan
from geopar.search.pace import run_paced, share_note
from geopar.solvers import Outcome, Request

# Customers handled between two looks at the budget: a few hundredths of a second.
GENES_PER_PIECE = 1_000_000


@dataclass(frozen=True, slots=True)
class GeneticParameters:
    """The paper's parameters by their names, then what it leaves open.

    Published with the paper's results: ``population``, 40 generations per customer, ``P_m`` and
    ``P_c``. All else is our choice, out of the operators that the survey lists: an individual is a
    permutation of the customers with a vehicle for each, split greedily into trips; order
    crossover of the permutations, uniform crossover of the vehicles; a mutation swaps two
    customers, reverses a slice, moves a customer behind another or gives it another vehicle, each
    as often; fitness is the makespan; the best lives on unchanged; the first generation is random.

    Parameters
    ----------
    population
        Individuals.
    generations_per_customer
        Of the full budget.
    P_m
        Chance that a child mutates.
    P_c
        Chance that a child has two parents; otherwise it is a copy of one.
    factor
        What part of the full budget to run.
    tournament
        A parent is the best of so many.
    """

    population: int = 200
    generations_per_customer: int = 40
    P_m: float = 0.8
    P_c: float = 1.0
    factor: float = 1.0
    tournament: int = 2

    def __post_init__(self) -> None:
        check_parameters(
            self,
            population=(2, 100_000),
            generations_per_customer=(1, math.inf),
            P_m=(0, 1),
            P_c=(0, 1),
            factor=(ABOVE_ZERO, math.inf),
            tournament=(1, 100_000),
        )

    def full(self, num_tasks: int) -> int:
        """The published number of generations."""
        return self.generations_per_customer * num_tasks


PAPER = GeneticParameters()


def genetic(request: Request, parameters: GeneticParameters = PAPER) -> Outcome:
    """Solve by evolution; one iteration is one generation. One that time cuts short is dropped.

    ``start`` becomes one of the first generation. It uses one thread whatever ``threads`` says.
    """
    problem, start = require_hcvrp(request.problem, "ga"), request.start
    n = problem.num_tasks
    instance, unit = normalised(problem)
    fleet = idle_fleet(problem.num_vehicles)
    random = seed_state(request.seed)
    herd = _herd(parameters.population, n)
    P_c, P_m = float(parameters.P_c), float(parameters.P_m)
    start_cost = math.inf
    if start is None:
        draw_plan(instance, random, herd.order[0, 0], herd.vehicle[0, 0])
    else:
        routes = start.to_indices(problem)
        start_cost = makespan_of(problem, routes)
        join(routes, herd.order[0, 0], herd.vehicle[0, 0])
    herd.cost[0, 0] = drive(instance, fleet, herd.order[0, 0], herd.vehicle[0, 0])

    def best() -> tuple[int, int]:
        now = int(herd.numbers[NOW])
        return now, int(herd.numbers[BEST])

    def cost() -> float:
        return min(start_cost, float(herd.cost[best()]) * unit)

    def advance(count: int, begin: float, end: float) -> tuple[int, float]:
        done, steps = 0, max(1, GENES_PER_PIECE // n)
        while done < count and not request.budget.done:
            done += evolve(
                instance, fleet, herd, random, P_c, P_m, parameters.tournament, steps, count - done
            )
        return done, cost()

    def plan() -> Plan:
        return better_plan(
            problem, split(instance, herd.order[best()], herd.vehicle[best()]), start
        )

    full = parameters.full(n)
    most = max(1, round(full * parameters.factor))
    piece = max(1, GENES_PER_PIECE // (parameters.population * n))
    done = run_paced(advance, request, most, piece, cost(), plan)
    return Outcome(plan(), done, notes=(share_note("ga", "generations", done, full),))


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it."""
    compile_by_running(genetic, "Compiling ga, once: about 4 s.", announce)


class Herd(NamedTuple):
    """Two generations, this and the next, in turns; ``numbers`` is indexed by the names below."""

    order: Genes
    vehicle: Genes
    cost: Floats
    place: Genes
    numbers: Indices


# Indices into ``numbers``: which of the two generations is this one, its best individual, how many
# of the very first have been drawn, how many children the next generation has so far.
NOW, BEST, DRAWN, CHILDREN = range(4)


def _herd(population: int, num_tasks: int) -> Herd:
    return Herd(
        order=np.zeros((2, population, num_tasks), dtype=np.int32),
        vehicle=np.zeros((2, population, num_tasks), dtype=np.int32),
        cost=np.zeros((2, population)),
        place=np.zeros(num_tasks, dtype=np.int32),
        numbers=np.array([0, 0, 1, 0]),
    )


@compiled
def evolve(
    instance: Instance,
    fleet: Fleet,
    herd: Herd,
    random: State,
    P_c: float,
    P_m: float,
    tournament: int,
    steps: int,
    most: int,
) -> int:
    """So many births, up to ``most`` whole generations; returns how many of these were completed.

    The first births are the first generation, drawn at random.
    """
    numbers, population, completed = herd.numbers, herd.order.shape[1], 0
    for _ in range(steps):
        now = numbers[NOW]
        if numbers[DRAWN] < population:
            i = numbers[DRAWN]
            born = individual(herd, i)
            draw_plan(instance, random, born.order, born.vehicle)
            herd.cost[now, i] = drive(instance, fleet, born.order, born.vehicle)
            if herd.cost[now, i] < herd.cost[now, numbers[BEST]]:
                numbers[BEST] = i
            numbers[DRAWN] += 1
            continue
        i = numbers[CHILDREN]
        child = Individual(herd.order[1 - now, i], herd.vehicle[1 - now, i])
        if i == 0:
            copy(individual(herd, numbers[BEST]), child)
        else:
            beget(herd, random, child, P_c, tournament)
            if uniform(random) < P_m:
                mutate(instance, random, child)
        herd.cost[1 - now, i] = drive(instance, fleet, child.order, child.vehicle)
        numbers[CHILDREN] += 1
        if numbers[CHILDREN] == population:
            numbers[CHILDREN] = 0
            numbers[NOW] = 1 - now
            numbers[BEST] = fittest(herd.cost[1 - now])
            completed += 1
            if completed == most:
                break
    return completed


@inner
def individual(herd: Herd, i: int) -> Individual:
    """One of this generation."""
    now = herd.numbers[NOW]
    return Individual(herd.order[now, i], herd.vehicle[now, i])


@inner
def fittest(cost: Floats) -> int:
    """The individual with the least makespan."""
    best = 0
    for i in range(len(cost)):
        if cost[i] < cost[best]:
            best = i
    return best


@inner
def beget(herd: Herd, random: State, child: Individual, P_c: float, tournament: int) -> None:
    """A child of two winners, or a copy of one."""
    one = individual(herd, compete(herd, random, tournament))
    if uniform(random) < P_c:
        other = individual(herd, compete(herd, random, tournament))
        order_crossover(random, one.order, other.order, child.order, herd.place)
        mix_vehicles(random, one.vehicle, other.vehicle, child.vehicle)
    else:
        copy(one, child)


@inner
def compete(herd: Herd, random: State, tournament: int) -> int:
    """The best of a few."""
    cost = herd.cost[herd.numbers[NOW]]
    best = below(random, len(cost))
    for _ in range(tournament - 1):
        rival = below(random, len(cost))
        if cost[rival] < cost[best]:
            best = rival
    return best  # type: ignore[no-any-return]


@inner
def mutate(instance: Instance, random: State, child: Individual) -> None:
    """Swap two customers, reverse a slice, move a customer behind another, or change a vehicle."""
    order, vehicle = child.order, child.vehicle
    first, last = cut(random, len(order))
    customer, other = np.int64(order[first]), np.int64(order[last])
    kind = below(random, 4)
    if kind == 0:
        order[first], order[last] = other, customer
    elif kind == 1:
        reverse(order, first, last)
    elif kind == 2:
        shift(order, first, last)
        if fits(instance, customer, vehicle[other]):
            vehicle[customer] = vehicle[other]
    else:
        vehicle[customer] = draw_vehicle(instance, random, customer)
