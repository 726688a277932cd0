"""Simulated annealing for the HCVRP: one of the paper's classical baselines.

İ. İlhan (2021), "An improved simulated annealing algorithm with crossover operator for capacitated
vehicle routing problem", Swarm and Evolutionary Computation 64. A few plans cool down together;
moves are exchange, insertion and reversion; now and then two plans cross; 2-opt on trips.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import State, below, seed_state, uniform
from geopar.peers.classical import common
from geopar.peers.classical.common import ABOVE_ZERO, Work, check_parameters, require_hcvrp
from geopar.peers.classical.crossover import (
    Population,
    copy,
    fits,
    individual,
    member,
    mix_vehicles,
    new_population,
    order_crossover,
    partially_mapped_crossover,
    reverse,
    shift,
)
from geopar.peers.classical.decode import (
    Fleet,
    Genes,
    Individual,
    Instance,
    distance,
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
GENES_PER_PIECE = 2_000_000
# 2-opt reverses no more customers than this, so that a sweep takes linear time.
LONGEST_REVERSAL = 200


@dataclass(frozen=True, slots=True)
class AnnealingParameters:
    """The paper's parameters by their names, then what it leaves open.

    Published with the paper's results: ``T0``, ``Tf``, ``L`` moves per customer at each
    temperature, the ``cooling``, and that there are crossover and 2-opt. Inferred: 1,026
    temperatures, and so the full budget of about 20,500 moves per customer. Our choice: the rest.
    A plan is a permutation of the customers with a vehicle for each, split greedily into trips.
    A move exchanges two customers, inserts one beside another, reverses a slice or gives a
    customer another vehicle, each as often. After each temperature two plans cross (OX or PMX)
    and the child may replace the worse one by the same rule as a move, and the best plan's trips
    get one sweep of 2-opt. With less than the full budget every temperature gets fewer moves.

    Parameters
    ----------
    T0, Tf
        First and last temperature. In units of the normalised instance, whose longer side and
        largest speed are 1: the last is so low that the unit hardly matters.
    L
        Moves per customer at each temperature.
    cooling
        From each temperature to the next.
    factor
        What part of the full budget to plan for.
    population
        Plans that cool together.
    epsilon
        The search sees makespan + ``epsilon`` · sum of all finishing times, because the makespan
        alone has no slope. What is kept as best is the makespan.
    """

    T0: float = 100.0
    Tf: float = 1e-7
    L: int = 20
    cooling: float = 0.98
    factor: float = 1.0
    population: int = 10
    epsilon: float = 1e-2

    def __post_init__(self) -> None:
        check_parameters(
            self,
            T0=(ABOVE_ZERO, math.inf),
            Tf=(ABOVE_ZERO, math.inf),
            L=(1, math.inf),
            cooling=(0.01, 0.999999),
            factor=(ABOVE_ZERO, math.inf),
            population=(1, 100_000),
        )

    @property
    def levels(self) -> int:
        """How many temperatures there are."""
        return max(1, math.ceil(math.log(self.Tf / self.T0) / math.log(self.cooling)))

    def full(self, num_tasks: int) -> int:
        """The published number of moves."""
        return self.levels * self.L * num_tasks


PAPER = AnnealingParameters()


def annealing(request: Request, parameters: AnnealingParameters = PAPER) -> Outcome:
    """Solve by simulated annealing; one iteration is one move.

    All plans begin random, or as ``start``. It uses one thread whatever ``threads`` says.
    """
    problem, start = require_hcvrp(request.problem, "sa"), request.start
    n, p = problem.num_tasks, parameters
    instance, unit = normalised(problem)
    fleet, random = idle_fleet(problem.num_vehicles), seed_state(request.seed)
    colony = new_population(p.population + 2, n, [0])
    if start is not None:
        for i in range(p.population):
            join(start.to_indices(problem), individual(colony, i))
    rules = Rules(float(p.T0), float(p.cooling), p.levels, float(p.epsilon))
    settle(instance, fleet, colony, random, rules, start is None)

    def advance(count: int, begin: float, end: float) -> int:
        anneal(instance, fleet, colony, random, rules, count, begin, end)
        return count

    work = Work(
        advance,
        lambda: float(colony.cost[BEST]) * unit,
        lambda: split(instance, individual(colony, BEST)),
    )
    piece = max(1, GENES_PER_PIECE // (n + problem.num_vehicles))
    return common.run(request, work, parameters, piece, "sa", "moves")


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it."""
    common.compile_by_running(annealing, "Compiling sa, once: about 6 s.", announce)


class Rules(NamedTuple):
    """The parameters that compiled code needs."""

    first_temperature: float
    cooling: float
    levels: int
    epsilon: float


# The plans that cool together are followed by one being tried and by the best one. ``cost`` is what
# the search sees, but for the best one its makespan.
TRIAL, BEST = -2, -1
# The only one of the population's numbers: which temperature it is.
LEVEL = 0


@compiled
def settle(
    instance: Instance, fleet: Fleet, colony: Population, random: State, rules: Rules, draw: bool
) -> None:
    """Draw the first plans if wanted, and see what they cost."""
    for i in range(len(colony.cost) - 2):
        plan = member(colony, i)
        if draw:
            draw_plan(instance, random, plan)
        copy(plan, member(colony, TRIAL))
        take_trial(instance, fleet, colony, random, rules, i, 0.0)


@inner
def take_trial(
    instance: Instance,
    fleet: Fleet,
    colony: Population,
    random: State,
    rules: Rules,
    i: int,
    temperature: float,
) -> None:
    """Judge the trial; it may replace plan ``i`` (Metropolis) and the best."""
    trial = member(colony, TRIAL)
    makespan = drive(instance, fleet, trial)
    if makespan < colony.cost[BEST]:
        colony.cost[BEST] = makespan
        copy(trial, member(colony, BEST))
    cost = makespan
    for v in range(len(fleet.time)):
        cost += rules.epsilon * fleet.time[v]
    if cost <= colony.cost[i] - temperature * np.log(1.0 - uniform(random)):
        colony.cost[i] = cost
        copy(trial, member(colony, i))


@compiled
def anneal(
    instance: Instance,
    fleet: Fleet,
    colony: Population,
    random: State,
    rules: Rules,
    count: int,
    begin: float,
    end: float,
) -> None:
    """So many moves, from one fraction of the run to another."""
    population = len(colony.cost) - 2
    temperature = rules.first_temperature * rules.cooling ** colony.numbers[LEVEL]
    for step in range(count):
        level = int((begin + (end - begin) * step / count) * rules.levels)
        if level > colony.numbers[LEVEL]:
            cross(instance, fleet, colony, random, rules, temperature)
            polish(instance, fleet, colony)
            colony.numbers[LEVEL] = level
            temperature = rules.first_temperature * rules.cooling**level
        i = below(random, population)
        trial = member(colony, TRIAL)
        copy(member(colony, i), trial)
        disturb(instance, random, trial)
        take_trial(instance, fleet, colony, random, rules, i, temperature)
    if end >= 1.0:
        polish(instance, fleet, colony)


@inner
def disturb(instance: Instance, random: State, plan: Individual) -> None:
    """Exchange, insertion, reversion, or another vehicle."""
    order, vehicle = plan.order, plan.vehicle
    source, target = below(random, len(order)), below(random, len(order))
    kind = below(random, 4)
    customer, other = np.int64(order[source]), np.int64(order[target])
    if kind == 0:
        exchange(instance, plan, source, target)
    elif kind == 1:
        shift(order, source, target)
        if fits(instance, customer, vehicle[other]):
            vehicle[customer] = vehicle[other]
    elif kind == 2:
        first, last = min(source, target), max(source, target)
        while first < last:
            exchange(instance, plan, first, last)
            first += 1
            last -= 1
    else:
        vehicle[customer] = draw_vehicle(instance, random, customer)


@inner
def exchange(instance: Instance, plan: Individual, i: int, j: int) -> None:
    """Swap two customers, and their vehicles if those can carry them."""
    order, vehicle = plan.order, plan.vehicle
    one, other = np.int64(order[i]), np.int64(order[j])
    order[i], order[j] = other, one
    v, w = vehicle[one], vehicle[other]
    if fits(instance, one, w) and fits(instance, other, v):
        vehicle[one], vehicle[other] = w, v


@inner
def cross(
    instance: Instance,
    fleet: Fleet,
    colony: Population,
    random: State,
    rules: Rules,
    temperature: float,
) -> None:
    """A child of two plans may replace the worse of them.

    Before that every permutation is sorted by vehicle. That changes no plan, but makes neighbours
    in the permutation neighbours on the road, which moves and crossovers work on.
    """
    population = len(colony.cost) - 2
    for i in range(population):
        sort_by_vehicle(fleet, member(colony, i), colony.scratch)
    i, j = below(random, population), below(random, population)
    if i == j:
        return
    one, other, trial = member(colony, i), member(colony, j), member(colony, TRIAL)
    if below(random, 2) == 0:
        order_crossover(random, one.order, other.order, trial.order, colony.scratch)
    else:
        partially_mapped_crossover(random, one.order, other.order, trial.order, colony.scratch)
    mix_vehicles(random, one.vehicle, other.vehicle, trial.vehicle)
    worse = i if colony.cost[i] > colony.cost[j] else j
    take_trial(instance, fleet, colony, random, rules, worse, temperature)


@inner
def sort_by_vehicle(fleet: Fleet, plan: Individual, scratch: Genes) -> None:
    """Bring the customers of each vehicle together, in the sequence they have."""
    n, free = len(plan.order), fleet.at
    for v in range(len(free)):
        free[v] = 0
    for i in range(n):
        scratch[i] = plan.order[i]
        free[plan.vehicle[i]] += 1
    place = n
    for v in range(len(free) - 1, -1, -1):
        place -= free[v]
        free[v] = place
    for i in range(n):
        v = plan.vehicle[scratch[i]]
        plan.order[free[v]] = scratch[i]
        free[v] += 1


@inner
def polish(instance: Instance, fleet: Fleet, colony: Population) -> None:
    """One sweep of 2-opt over the trips of the best plan, kept if that helps."""
    trial, best = member(colony, TRIAL), member(colony, BEST)
    copy(best, trial)
    sort_by_vehicle(fleet, trial, colony.scratch)
    first, load = 0, 0.0
    for i in range(len(trial.order)):
        customer = np.int64(trial.order[i])
        v = trial.vehicle[customer]
        load += instance.demand[customer]
        if load > instance.capacity[v] or v != trial.vehicle[trial.order[first]]:
            two_opt(instance, trial.order, first, i - 1)
            first, load = i, instance.demand[customer]
    two_opt(instance, trial.order, first, len(trial.order) - 1)
    # Another sequence may be split in another way, and worse.
    makespan = drive(instance, fleet, trial)
    if makespan <= colony.cost[BEST]:
        colony.cost[BEST] = makespan
        copy(trial, best)


@inner
def two_opt(instance: Instance, order: Genes, first: int, last: int) -> None:
    """Reverse slices of one trip while going over it once, where that makes it shorter."""
    depot = len(order)
    for i in range(first, last):
        a = depot if i == first else np.int64(order[i - 1])
        for j in range(i + 1, min(last, i + LONGEST_REVERSAL) + 1):
            b, c = np.int64(order[i]), np.int64(order[j])
            d = depot if j == last else np.int64(order[j + 1])
            before = distance(instance, a, b) + distance(instance, c, d)
            after = distance(instance, a, c) + distance(instance, b, d)
            if after < before - 1e-12:
                reverse(order, i, j)
