import math
from itertools import pairwise

import pytest
import torch

from geopar.pointer.hcvrp.candidates import PRESELECTED
from geopar.pointer.hcvrp.columns import Customer
from geopar.pointer.hcvrp.tables import tables_of
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.chains import stops_of
from geopar.problems.environment import make_environment
from midway import midway, network_for, observed


def driven(places, stops):
    """How long a way is."""
    return sum(math.dist(places[i], places[j]) for i, j in pairwise(stops))


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "hcvrp/400/3"])
@pytest.mark.parametrize("steps", [3, 8])
def test_vehicles_look_at_what_makes_their_open_trip_the_least_longer(setting, steps):
    config = network_for("hcvrp").config
    environment, state = midway(setting, steps)
    home, mask = environment.batch.num_tasks, environment.mask(state)
    listed = observed(config, environment, state).candidates
    trips = stops_of(state.start, state.follow)
    assert listed.shape[-1] == config.reach + 1
    assert (listed[..., -1] == home).all()
    for b, r, m in torch.cartesian_prod(*(torch.arange(k) for k in listed.shape[:3])).tolist():
        if state.place[b, r, m] == home:
            continue
        places = environment.batch.places[b].tolist()
        here = state.position[b, r, m].tolist()
        possible = torch.nonzero(mask[b, r, m, :-1])[:, 0].tolist()
        nearest = sorted(possible, key=lambda j: math.dist(here, places[j]))
        trip = trips[b, r, m].tolist()
        trip = trip[: trip.index(home, 1) + 1]

        def longer(j):
            ways = ([*trip[:at], j, *trip[at:]] for at in range(1, len(trip)))  # noqa: B023
            return min(driven(places, way) for way in ways)  # noqa: B023

        expected = sorted(nearest[: PRESELECTED * config.reach], key=longer)[: config.reach]
        assert {j for j in listed[b, r, m].tolist() if j in possible} == set(expected)


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "hcvrp/4/6"])
def test_nobody_looks_at_a_customer_twice(setting):
    environment, state = midway(setting, 3)
    ordered = observed(network_for("hcvrp").config, environment, state).candidates.sort(-1).values
    assert (ordered[..., 1:] != ordered[..., :-1]).all()


def test_the_depot_shows_the_farthest_of_every_direction_first():
    config = network_for("hcvrp", reach=24).config
    environment, state = midway("hcvrp/60/2", 0, count=1, rollouts=1)
    shown = set(observed(config, environment, state).candidates[0, 0, 0].tolist())
    tables = tables_of(environment.batch, turns=0)
    away, sector = tables.customers[0, :-1, Customer.DEPOT_DISTANCE], tables.sector[0, :-1]
    for direction in set(sector.tolist()):
        members = [j for j in range(60) if sector[j] == direction]
        assert max(members, key=away.__getitem__) in shown
    # And a quarter of what is shown are the nearest of the rest.
    assert set(sorted(range(60), key=away.__getitem__)[:3]) <= shown


def test_a_vehicle_too_small_for_what_the_depot_shows_looks_around():
    far = [(math.cos(a), math.sin(a)) for a in range(40)]
    near = [(0.01 * i, 0.3) for i in range(4)]
    problem = HCVRP((0, 0), far + near, [9] * 40 + [1] * 4, capacity=[2, 9], speed=[1, 1])
    environment = make_environment(make_batch([problem]), inserts=True)
    seen = observed(network_for("hcvrp", reach=2).config, environment, environment.reset())
    assert set(seen.candidates[0, 0, 0, :-1].tolist()) <= {40, 41, 42, 43}
    assert seen.feasible[..., :-1].any(-1).all()
