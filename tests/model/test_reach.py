import math
from itertools import pairwise

import pytest
import torch

from geopar.model import reach
from geopar.model.insertion_features import FORGIVEN
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.chains import stops_of
from midway import midway, policy_for


def listed_by(policy, encoded, state, include=None):
    return policy.look(encoded, state, include=include).candidates


def driven(places, stops):
    """How long a way is."""
    return sum(math.dist(places[i], places[j]) for i, j in pairwise(stops))


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "hcvrp/400/3"])
@pytest.mark.parametrize("steps", [3, 8])
def test_vehicles_look_at_what_makes_their_open_trip_the_least_longer(setting, steps):
    policy = policy_for("hcvrp")
    size = policy.config.reach_size
    encoded, state = midway(policy, setting, steps)
    environment, home = encoded.environment, encoded.environment.batch.num_tasks
    mask, listed = environment.mask(state), listed_by(policy, encoded, state)
    trips = stops_of(state.start, state.follow)
    assert listed.shape[-1] == size + 1
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

        expected = sorted(nearest[: reach.PRESELECTED * size], key=longer)[:size]
        assert {j for j in listed[b, r, m].tolist() if j in possible} == set(expected)


@pytest.mark.parametrize("setting", ["omdcpdp/20/3", "omdcpdp/600/3"])
@pytest.mark.parametrize("steps", [3, 8])
def test_vehicles_look_at_the_orders_that_are_due_first(setting, steps):
    policy = policy_for("omdcpdp")
    encoded, state = midway(policy, setting, steps)
    environment, half = encoded.environment, encoded.environment.batch.num_orders
    listed = listed_by(policy, encoded, state)
    orders = torch.arange(half).expand(*state.place.shape, -1)
    cost = environment.placing(environment.walk(state), orders).cost
    due = cost - FORGIVEN * encoded.scene.numbers(orders)[..., 1]
    due = due.masked_fill(~state.open[:, :, None, :half], math.inf)
    for b, r, m in torch.cartesian_prod(*(torch.arange(k) for k in listed.shape[:3])).tolist():
        free = torch.nonzero(state.open[b, r, :half])[:, 0].tolist()
        first = sorted(free, key=lambda j: float(due[b, r, m, j]))
        seen = [j for j in listed[b, r, m].tolist() if j in free]
        assert set(seen) == set(first[: policy.config.reach_size])


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "hcvrp/4/6", "omdcpdp/20/3"])
def test_nobody_looks_at_a_task_twice(setting):
    policy = policy_for(setting.partition("/")[0])
    encoded, state = midway(policy, setting, 3)
    for candidates in (
        listed_by(policy, encoded, state),
        reach.near(policy.config, encoded.scene, state, None),
    ):
        ordered = candidates.sort(-1).values
        assert (ordered[..., 1:] != ordered[..., :-1]).all()


def test_the_depot_shows_the_farthest_of_every_direction_first():
    policy = policy_for("hcvrp", reach_size=24)
    encoded, state = midway(policy, "hcvrp/60/2", 0, count=1, rollouts=1)
    shown = set(listed_by(policy, encoded, state)[0, 0, 0].tolist())
    table, sector = encoded.scene.table[0], encoded.scene.sector[0]
    for direction in sector[:-1].unique().tolist():
        members = torch.nonzero(sector[:-1] == direction)[:, 0].tolist()
        assert max(members, key=lambda j: float(table[j, 2])) in shown
    # And a quarter of what is shown are the nearest of the rest.
    rest = sorted(range(60), key=lambda j: float(table[j, 2]))
    assert set(rest[:3]) <= shown


def test_a_vehicle_too_small_for_what_the_depot_shows_looks_around():
    far = [(math.cos(a), math.sin(a)) for a in range(40)]
    near = [(0.01 * i, 0.3) for i in range(4)]
    problem = HCVRP((0, 0), far + near, [9] * 40 + [1] * 4, capacity=[2, 9], speed=[1, 1])
    policy = policy_for("hcvrp", reach_size=2)
    environment = policy.environment(make_batch([problem]))
    scores = policy.logits(policy.encode(environment), environment.reset())
    assert set(scores.candidates[0, 0, 0, :-1].tolist()) <= {40, 41, 42, 43}
    assert (scores.logits[..., :-1] > -torch.inf).any(-1).all()


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "omdcpdp/20/3"])
def test_a_teachers_move_is_always_in_reach(setting):
    policy = policy_for(setting.partition("/")[0])
    encoded, state = midway(policy, setting, 4)
    home = encoded.environment.batch.num_tasks
    mask = encoded.environment.mask(state)
    wanted = mask[..., :-1].flip(-1).int().argmax(-1)
    wanted = torch.where(mask[..., :-1].any(-1), home - 1 - wanted, home)
    for candidates in (
        listed_by(policy, encoded, state, wanted),
        reach.near(policy.config, encoded.scene, state, wanted),
    ):
        assert (candidates == wanted[..., None]).any(-1).all()
