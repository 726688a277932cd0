from typing import Any

import numpy as np
import pytest
import torch

from geopar.compiled.jit import compiled
from geopar.pointer.omdcpdp.columns import Placement
from geopar.pointer.omdcpdp.placing import PLACEMENT_SIZE, drive, new_route, place, step
from geopar.pointer.omdcpdp.tables import states_of, tables_of
from geopar.problems import OMDCPDP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.tensors import map_tensors
from midway import midway
from rollouts import random_joint_action


@compiled(allocates=True)
def placed(tasks, position, m, capacity, start, follow, order, found):
    route = new_route(tasks.shape[0] - 1)
    count, arrivals = drive(tasks, position, m, start, follow, route)
    place(tasks, position, m, capacity, route, count, order, found)
    return route.stops[: count + 1], route.times[: count + 1], arrivals


@compiled(allocates=True)
def stepped(tables, states, b, s, action):
    step(tables, states, b, s, action)


def test_an_order_is_picked_up_on_the_way():
    """Order 0 goes along a line, order 1 lies inside of it."""
    problem = OMDCPDP([(1, 0), (2, 0)], [(4, 0), (3, 0)], [(0, 0)], capacity=[2])
    batch: Any = make_batch([problem])
    environment, unit = make_environment(batch, inserts=True), float(batch.scale[0])
    state = environment.step(environment.reset(), torch.tensor([[[0]]]))
    states, found = states_of(state), np.zeros(PLACEMENT_SIZE)
    stops, times, arrivals = placed(
        tables_of(batch).tasks[0], states.position[0], 0, 2, states.start[0, 0], states.follow[0],
        1, found,
    )  # fmt: skip
    assert stops.tolist() == [4, 0, 2]
    np.testing.assert_allclose(times * unit, [0.0, 1.0, 4.0], rtol=1e-5)
    assert arrivals * unit == pytest.approx(4.0, rel=1e-5)
    # Behind the first pickup, where it delays nobody although one delivery comes later.
    assert (found[Placement.PICKUP], found[Placement.DELIVERY]) == (1, 1)
    assert found[Placement.COST] * unit == pytest.approx(3.0, rel=1e-5)
    assert found[Placement.ARRIVAL] * unit == pytest.approx(3.0, rel=1e-5)
    assert found[Placement.LONGER] == pytest.approx(0.0, abs=1e-5)
    assert found[Placement.DELAYED] == 1
    assert found[Placement.APPENDED] * unit == pytest.approx(7.0, rel=1e-5)
    assert not found[Placement.IS_LAST]


@pytest.mark.parametrize("steps", [0, 1, 5])
def test_the_cheapest_place_is_that_of_the_environment(steps):
    environment, state = midway("omdcpdp/24/3", steps)
    batch, states, tables = environment.batch, states_of(state), tables_of(environment.batch)
    orders = torch.arange(batch.num_orders).expand(*state.place.shape, -1)
    expected = environment.placing(environment.walk(state), orders)
    found = np.zeros(PLACEMENT_SIZE)
    for s, m in np.ndindex(4, 3):
        b, r = divmod(s, 2)
        for order in torch.nonzero(state.open[b, r])[:, 0].tolist():
            placed(
                tables.tasks[b], states.position[s], m, tables.capacity[b, m], states.start[s, m],
                states.follow[s], order, found,
            )  # fmt: skip
            for name in ("cost", "arrival", "longer", "delayed", "appended"):
                value = float(getattr(expected, name)[b, r, m, order])
                assert found[Placement[name.upper()]] == pytest.approx(value, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("steps", [0, 2, 3])
def test_a_step_is_that_of_the_environment(steps):
    environment, state = midway("omdcpdp/24/3", steps)
    mask = environment.mask(state)
    action = random_joint_action(mask, state.place, torch.Generator().manual_seed(steps))
    after, copy = environment.step(state, action), map_tensors(state, torch.clone)
    states = states_of(copy)
    states.is_cached[:] = True
    for s, row in enumerate(action.flatten(0, 1).numpy()):
        stepped(tables_of(environment.batch), states, s // 2, s, row)
    for name in ("place", "open", "start", "steps"):
        assert torch.equal(getattr(copy, name), getattr(after, name)), name
    assert torch.equal(copy.follow[..., :-1], after.follow[..., :-1])
    torch.testing.assert_close(copy.arrivals, after.arrivals, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(copy.length, after.length, rtol=1e-5, atol=1e-5)
    # What was known of a route that changed is forgotten.
    took = (action < environment.batch.num_orders).flatten(0, 1).numpy()
    assert (states.is_cached == ~took).all()
