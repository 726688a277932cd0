import math

import pytest
import torch

from geopar.model import reach
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from midway import midway, policy_for


def listed_by(policy, encoded, state, include=None):
    return policy.look(encoded, state, include=include).candidates


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "hcvrp/400/3", "omdcpdp/20/3", "omdcpdp/600/3"])
@pytest.mark.parametrize("steps", [3, 8])
def test_agents_look_at_their_nearest_feasible_tasks(setting, steps):
    policy = policy_for(setting.partition("/")[0])
    encoded, state = midway(policy, setting, steps)
    environment, home = encoded.environment, encoded.environment.batch.num_tasks
    mask, listed = environment.mask(state), listed_by(policy, encoded, state)
    tasks = environment.batch.tasks
    assert listed.shape[-1] == policy.config.reach_size + 1
    assert (listed[..., -1] == home).all()
    for b, r, m in torch.cartesian_prod(*(torch.arange(k) for k in listed.shape[:3])).tolist():
        if setting.startswith("hcvrp") and state.place[b, r, m] == home:
            continue
        here = state.position[b, r, m].tolist()
        possible = torch.nonzero(mask[b, r, m, :-1])[:, 0].tolist()
        carried = [j for j in possible if setting.startswith("omdcpdp") and j >= home // 2]
        others = [j for j in possible if j not in carried]
        others.sort(key=lambda j: math.dist(here, tasks[b, j].tolist()))
        expected = (carried + others)[: policy.config.reach_size]
        assert {j for j in listed[b, r, m].tolist() if j in possible} == set(expected)


@pytest.mark.parametrize("setting", ["hcvrp/30/3", "hcvrp/4/6", "omdcpdp/20/3"])
def test_nobody_looks_at_a_task_twice(setting):
    policy = policy_for(setting.partition("/")[0])
    encoded, state = midway(policy, setting, 3)
    for candidates in (
        listed_by(policy, encoded, state),
        reach.near(policy.config, encoded.scene, state, encoded.cache, None),
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
    environment = make_environment(make_batch([problem]))
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
        reach.near(policy.config, encoded.scene, state, encoded.cache, wanted[..., None]),
    ):
        assert (candidates == wanted[..., None]).any(-1).all()


def test_windows_as_the_source_keep_to_the_cache():
    policy = policy_for("hcvrp", reach_source="windows", reach_size=4)
    encoded, state = midway(policy, "hcvrp/60/2", 2, count=1, rollouts=1)
    mask, home = encoded.environment.mask(state), 60
    listed = listed_by(policy, encoded, state)
    for m in range(2):
        place = int(state.place[0, 0, m])
        if place == home:
            continue
        cached = set(encoded.cache.index[0, place][encoded.cache.valid[0, place]].tolist())
        inside = {j for j in cached if mask[0, 0, m, j]}
        seen = {j for j in listed[0, 0, m, :-1].tolist() if mask[0, 0, m, j]}
        assert len(inside & seen) == min(4, len(inside))
