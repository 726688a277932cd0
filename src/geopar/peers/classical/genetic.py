"""A genetic algorithm for the HCVRP: one of the paper's classical baselines.

S. Karakatič and V. Podgorelec (2015), "A survey of genetic algorithms for solving multi depot
vehicle routing problem", Applied Soft Computing 27. A survey of operators; which of them the paper
ran is not published.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import State, below, seed_state, uniform
from geopar.peers.classical import common
from geopar.peers.classical.common import ABOVE_ZERO, Work, check_parameters, require_hcvrp
from geopar.peers.classical.crossover import (
    Population,
    copy,
    cut,
    fits,
    individual,
    member,
    mix_vehicles,
    new_population,
    order_crossover,
    reverse,
    shift,
)
from geopar.peers.classical.decode import (
    Fleet,
    Individual,
    Instance,
    draw_plan,
    draw_vehicle,
    drive,
    idle_fleet,
    join,
    normalised,
    split,
)
from geopar.solver import Outcome, Request

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
    n, population = problem.num_tasks, parameters.population
    instance, unit = normalised(problem)
    fleet, random = idle_fleet(problem.num_vehicles), seed_state(request.seed)
    herd = new_population(2 * population, n, [0, 0, 1, 0])
    rules = float(parameters.P_c), float(parameters.P_m), parameters.tournament
    first = individual(herd, 0)
    if start is None:
        draw_plan(instance, random, first)
    else:
        join(start.to_indices(problem), first)
    herd.cost[0] = drive(instance, fleet, first)

    def advance(count: int, begin: float, end: float) -> int:
        done, steps = 0, max(1, GENES_PER_PIECE // n)
        while done < count and not request.budget.done:
            done += evolve(instance, fleet, herd, random, *rules, steps, count - done)
        return done

    work = Work(
        advance,
        lambda: float(herd.cost[herd.numbers[BEST]]) * unit,
        lambda: split(instance, individual(herd, herd.numbers[BEST])),
    )
    piece = max(1, GENES_PER_PIECE // (population * n))
    return common.run(request, work, parameters, piece, "ga", "generations")


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it."""
    common.compile_by_running(genetic, "Compiling ga, once: about 4 s.", announce)


# Half of the population is this generation, the other half the next one, in turns. Indices into its
# numbers: where this generation begins, its best individual, how many of the very first have been
# drawn, how many children the next generation has so far.
NOW, BEST, DRAWN, CHILDREN = range(4)


@compiled
def evolve(
    instance: Instance,
    fleet: Fleet,
    herd: Population,
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
    numbers, population, completed = herd.numbers, len(herd.cost) // 2, 0
    for _ in range(steps):
        now, then = numbers[NOW], population - numbers[NOW]
        if numbers[DRAWN] < population:
            i = now + numbers[DRAWN]
            born = member(herd, i)
            draw_plan(instance, random, born)
            herd.cost[i] = drive(instance, fleet, born)
            if herd.cost[i] < herd.cost[numbers[BEST]]:
                numbers[BEST] = i
            numbers[DRAWN] += 1
            continue
        i = then + numbers[CHILDREN]
        child = member(herd, i)
        if i == then:
            copy(member(herd, numbers[BEST]), child)
        else:
            beget(herd, random, child, P_c, tournament)
            if uniform(random) < P_m:
                mutate(instance, random, child)
        herd.cost[i] = drive(instance, fleet, child)
        numbers[CHILDREN] += 1
        if numbers[CHILDREN] == population:
            numbers[CHILDREN] = 0
            numbers[NOW] = numbers[BEST] = then
            for k in range(then, then + population):
                if herd.cost[k] < herd.cost[numbers[BEST]]:
                    numbers[BEST] = k
            completed += 1
            if completed == most:
                break
    return completed


@inner
def beget(herd: Population, random: State, child: Individual, P_c: float, tournament: int) -> None:
    """A child of two winners, or a copy of one."""
    one = member(herd, compete(herd, random, tournament))
    if uniform(random) < P_c:
        other = member(herd, compete(herd, random, tournament))
        order_crossover(random, one.order, other.order, child.order, herd.scratch)
        mix_vehicles(random, one.vehicle, other.vehicle, child.vehicle)
    else:
        copy(one, child)


@inner
def compete(herd: Population, random: State, tournament: int) -> int:
    """The best of a few of this generation."""
    now, population = herd.numbers[NOW], len(herd.cost) // 2
    best = now + below(random, population)
    for _ in range(tournament - 1):
        rival = now + below(random, population)
        if herd.cost[rival] < herd.cost[best]:
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
