import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from geopar.compiled.jit import compiled
from geopar.pointer.hcvrp.columns import Customer
from geopar.pointer.hcvrp.tables import states_of, tables_of
from geopar.pointer.hcvrp.trips import cheapest_place, list_stops, new_trip, step
from geopar.problems.batch import make_batch
from geopar.problems.chains import stops_of
from geopar.problems.environment import make_environment
from geopar.problems.random import generate
from geopar.problems.tensors import map_tensors
from midway import midway
from rollouts import random_joint_action


@compiled(allocates=True)
def placed(customers, start, follow, j, inserts=True):
    trip = new_trip(customers.shape[0] - 1)
    count = list_stops(customers, start, follow, trip)
    found = cheapest_place(customers, trip, count, j, inserts)
    return trip.stops[:count], trip.legs[: count - 1], found


@compiled(allocates=True)
def stepped(tables, states, b, s, action):
    step(tables, states, b, s, action)


def customers_at(*places):
    """Customers, then the depot at the origin."""
    rows = np.zeros((len(places) + 1, len(Customer)), dtype=np.float32)
    rows[:-1, [Customer.X, Customer.Y]] = places
    rows[:-1, Customer.DEPOT_DISTANCE] = np.hypot(*np.transpose(places))
    return rows


def test_an_empty_trip_goes_there_and_back():
    stops, legs, (detour, behind, nearest) = placed(customers_at((3, 4)), 1, np.full(2, 1), 0)
    assert stops.tolist() == [1, 1]
    assert legs.tolist() == [0.0]
    assert (detour, behind) == (10.0, 0)
    assert math.isinf(nearest)


def test_a_customer_comes_where_the_trip_becomes_the_least_longer():
    customers = customers_at((1, 0), (2, 0), (2, 1), (1.5, 0.1))
    follow = np.array([1, 2, 4, 4, 4])
    stops, legs, (detour, behind, nearest) = placed(customers, 0, follow, 3)
    assert stops.tolist() == [4, 0, 1, 2, 4]
    np.testing.assert_allclose(legs, [1.0, 1.0, 1.0, math.sqrt(5.0)], rtol=1e-6)
    assert behind == 1
    assert detour == pytest.approx(2.0 * math.hypot(0.5, 0.1) - 1.0, rel=1e-5)
    assert nearest == pytest.approx(math.hypot(0.5, 0.1), rel=1e-5)


def test_every_place_was_tried():
    chance = np.random.default_rng(2)
    for _ in range(30):
        customers = customers_at(*chance.random((7, 2)))
        order = chance.permutation(6)
        follow = np.full(8, 7)
        for one, other in pairwise(order):
            follow[one] = other
        _, _, (detour, behind, _) = placed(customers, order[0], follow, 6)
        trip, lengths = [7, *order.tolist(), 7], []
        for at in range(1, len(trip)):
            way = customers[[*trip[:at], 6, *trip[at:]], : Customer.Y + 1]
            lengths.append(np.hypot(*np.diff(way, axis=0).T).sum())
        whole = np.hypot(*np.diff(customers[trip, : Customer.Y + 1], axis=0).T).sum()
        assert detour == pytest.approx(min(lengths) - whole, abs=1e-5)
        assert lengths[behind] == pytest.approx(min(lengths), abs=1e-6)


def test_one_that_is_appended_comes_behind_the_last():
    customers = customers_at((1, 0), (2, 0), (2, 1), (1.5, 0.1))
    follow = np.array([1, 2, 4, 4, 4])
    _, _, (detour, behind, _) = placed(customers, 0, follow, 3, False)
    assert behind == 3
    longer = math.hypot(0.5, 0.9) + math.hypot(1.5, 0.1) - math.sqrt(5.0)
    assert detour == pytest.approx(longer, rel=1e-5)
    # A trip that is empty leaves no choice.
    _, _, (detour, behind, _) = placed(customers_at((3, 4)), 1, np.full(2, 1), 0, False)
    assert (detour, behind) == (10.0, 0)


@pytest.mark.parametrize("steps", [1, 4, 9])
def test_appending_is_the_step_of_the_papers_environment(steps):
    generator = torch.Generator().manual_seed(steps)
    batch: Any = make_batch([generate("hcvrp/20/4", k) for k in range(2)])
    environment = make_environment(batch)
    state = environment.reset(2)
    copy: Any = map_tensors(make_environment(batch, inserts=True).reset(2), torch.clone)
    states, tables = states_of(copy), tables_of(batch, turns=0, inserts=False)
    for _ in range(steps):
        action = random_joint_action(environment.mask(state), state.place, generator)
        state = environment.step(state, action)
        for s, row in enumerate(action.flatten(0, 1).numpy()):
            stepped(tables, states, s // 2, s, row)
    assert torch.equal(copy.place, state.place)
    torch.testing.assert_close(copy.length, state.length, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_a_step_is_that_of_the_environment(steps):
    environment, state = midway("hcvrp/20/4", steps)
    mask = environment.mask(state)
    action = random_joint_action(mask, state.place, torch.Generator().manual_seed(steps))
    after = environment.step(state, action)
    copy = map_tensors(state, torch.clone)
    states = states_of(copy)
    full = environment.reset(2).left.flatten(0, 1).numpy()
    states = states._replace(full_room=np.ascontiguousarray(full))
    tables = tables_of(environment.batch, turns=0)
    for s, row in enumerate(action.flatten(0, 1).numpy()):
        stepped(tables, states, s // 2, s, row)
    for name in ("place", "open", "steps"):
        assert torch.equal(getattr(copy, name), getattr(after, name)), name
    for name in ("position", "length", "left"):
        torch.testing.assert_close(
            getattr(copy, name), getattr(after, name), rtol=1e-5, atol=1e-5, msg=name
        )
    # The same customers are in the open trips, although a short one may go round either way.
    one, other = (stops_of(part.start, part.follow).flatten(0, 2) for part in (copy, after))
    for mine, theirs in zip(one.tolist(), other.tolist(), strict=True):
        assert set(mine) == set(theirs)
