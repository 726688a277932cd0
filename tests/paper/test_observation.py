from typing import Any

import pytest
import torch

from geopar.paper.config import NetworkConfig
from geopar.paper.observation import (
    HCVRPAgent,
    HCVRPFleet,
    OMDCPDPAgent,
    OMDCPDPFleet,
    make_observer,
    observation_sizes,
    observe,
)
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.hcvrp.bound import lower_bound
from geopar.problems.random import generate
from instances import square
from paper_states import partway, small_policy

SETTINGS = ["hcvrp/12/3", "omdcpdp/12/3"]


@pytest.mark.parametrize("state_kind", ["relative", "parco"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_sizes_are_what_is_observed(setting, state_kind):
    kind = setting.partition("/")[0]
    config = NetworkConfig(kind, state=state_kind)
    policy = small_policy(kind)
    encoded, state = partway(policy, setting, 3)
    seen = observe(config, encoded.environment, encoded.observer, state, encoded.memory.listed)
    sizes = observation_sizes(config)
    assert seen.agents.shape == (2, 2, 3, sizes.agents)
    assert seen.fleet.shape == (2, 2, sizes.fleet)
    assert seen.tasks.shape == (2, 2, 13, sizes.tasks)
    assert torch.equal(seen.feasible, encoded.environment.mask(state))
    assert all(bool(torch.isfinite(part.float()).all()) for part in seen)


def test_a_fleet_at_the_depot_by_hand():
    problem = square()
    environment = make_environment(make_batch([problem]))
    observer = make_observer(environment.batch)
    agents, fleet = observer.relative(environment.reset())
    assert isinstance(agents, HCVRPAgent)
    assert isinstance(fleet, HCVRPFleet)
    assert bool((agents.at_depot == 1).all())
    assert bool((agents.finish == 0).all())
    assert agents.room.flatten().tolist() == pytest.approx([1.0] * problem.num_vehicles)
    assert float(fleet.share_open) == 1.0
    # All the work is left; the bound is its share of the estimate, unless one customer is far.
    estimate = float(observer.makespan[0] * environment.batch.scale[0])
    assert estimate == pytest.approx(1.15 * lower_bound(problem), rel=1e-5)
    assert 0.0 < float(fleet.work_left) <= 1.0 / 1.15 + 1e-6


def test_times_are_compared_with_the_fleet():
    policy = small_policy("hcvrp")
    encoded, state = partway(policy, "hcvrp/12/3", 4)
    agents, fleet = encoded.observer.relative(state)
    environment: Any = encoded.environment
    finish = environment.finish(state) / encoded.observer.makespan[:, None, None]
    torch.testing.assert_close(agents.finish, finish)
    torch.testing.assert_close(agents.behind_mean.mean(-1), torch.zeros(2, 2), atol=1e-6, rtol=0)
    assert bool((agents.behind_latest.amax(-1) == 0).all())
    torch.testing.assert_close(fleet.latest_finish[..., 0], finish.amax(-1))
    order = finish.argsort(-1)
    ranked = agents.share_earlier.gather(-1, order)
    assert bool((ranked.diff(dim=-1) >= 0).all())


def test_orders_on_board_by_hand():
    policy = small_policy("omdcpdp")
    encoded, state = partway(policy, "omdcpdp/12/3", 2)
    agents, fleet = encoded.observer.relative(state)
    assert isinstance(agents, OMDCPDPAgent)
    assert isinstance(fleet, OMDCPDPFleet)
    torch.testing.assert_close(agents.idle, (state.load == 0).float())
    aboard = encoded.observer.tasks(state)[..., 0]
    assert bool((aboard[..., :6] == 0).all())
    assert torch.equal(aboard[..., 6:12].sum(-1), state.load.sum(-1).float())


@pytest.mark.parametrize("setting", ["hcvrp/8/2", "omdcpdp/8/2"])
def test_units_make_no_difference(setting):
    problem: Any = generate(setting)
    if problem.kind == "hcvrp":
        scaled = problem.replace(
            depot=problem.depot * 1000, customers=problem.customers * 1000,
            demand=problem.demand * 8, capacity=problem.capacity * 8, speed=problem.speed * 60,
        )  # fmt: skip
    else:
        scaled = problem.replace(
            pickups=problem.pickups * 1000, deliveries=problem.deliveries * 1000,
            starts=problem.starts * 1000,
        )  # fmt: skip
    found = []
    for one in (problem, scaled):
        environment = make_environment(make_batch([one]))
        state = environment.step(environment.reset(), torch.tensor([[[0, 1]]]))
        agents, fleet = make_observer(environment.batch).relative(state)
        found.append(torch.cat([part.float().flatten() for part in (*agents, *fleet)]))
    torch.testing.assert_close(found[0], found[1], atol=1e-5, rtol=1e-4)
