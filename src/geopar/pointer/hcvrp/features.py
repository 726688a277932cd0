"""What is seen of a state of HCVRP, in compiled code: fleet, vehicles, candidates, pairs."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.pointer.hcvrp.candidates import choose
from geopar.pointer.hcvrp.fleet_features import (
    describe_agents,
    describe_fleet,
    describe_queue,
    new_vehicles,
    survey_fleet,
    survey_open,
)
from geopar.pointer.hcvrp.pair_features import (
    describe_pairs,
    new_customers,
    new_pairs,
    survey_customers,
    survey_pairs,
)
from geopar.pointer.hcvrp.tables import States, Tables, instance_at, state_at
from geopar.pointer.hcvrp.trips import new_trip
from geopar.pointer.observation import Observation


@inner(allocates=True)
def observe(tables: Tables, states: States, b: int, s: int, observation: Observation) -> None:
    """Fill what is seen of state ``s`` of instance ``b``."""
    instance, state = instance_at(tables, b), state_at(states, s)
    num_customers, fleet_size = instance.demand.shape[0] - 1, state.place.shape[0]
    columns = observation.candidates.shape[1]
    tasks, trip = np.empty(num_customers + 1, dtype=np.int64), new_trip(num_customers)
    vehicles = new_vehicles(fleet_size)
    work = survey_open(instance, state, tasks)
    totals = survey_fleet(instance, state, work, vehicles)
    describe_fleet(work, totals, num_customers, fleet_size, observation.fleet)
    describe_agents(instance, state, work, totals, vehicles, observation)
    describe_queue(instance, state, totals, vehicles, observation)
    choose(instance, state, tasks, work.num_open, work.lightest, trip, observation.candidates)
    _mark_feasible(instance, state, totals.at_depot == fleet_size, observation)
    known = new_customers(num_customers)
    survey_customers(instance, state, observation, known)
    pairs = new_pairs(fleet_size, columns)
    for m in range(fleet_size):
        if observation.active[m]:
            survey_pairs(instance, state, m, vehicles, trip, observation, pairs, known)
    for m in range(fleet_size):
        if observation.active[m]:
            describe_pairs(instance, state, m, vehicles, totals, observation, pairs, known)


@inlined
def _mark_feasible(
    instance: Tables, state: States, are_all_home: bool, observation: Observation
) -> None:
    """Open customers that fit; home, but for active vehicles while all stand there.

    The same rules as :meth:`geopar.problems.hcvrp.environment.HCVRPEnvironment.feasible` and
    ``home_allowed``, a second time: those are tensor operations on whole batches, which compiled
    code cannot call. A test holds them equal.
    """
    home, demand, is_open = instance.demand.shape[0] - 1, instance.demand, state.is_open
    candidates, feasible = observation.candidates, observation.feasible
    for m in range(candidates.shape[0]):
        is_active, room = observation.active[m], state.room[m]
        for k in range(candidates.shape[1]):
            j = candidates[m, k]
            if j == home:
                feasible[m, k] = not (are_all_home and is_active)
            else:
                feasible[m, k] = is_open[j] and demand[j] <= room and is_active
