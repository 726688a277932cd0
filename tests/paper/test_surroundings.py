import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.errors import InputError
from geopar.paper import surroundings
from geopar.paper.config import NetworkConfig
from geopar.paper.observation import make_observer, observation_sizes, observe
from geopar.paper.surroundings import REACH, HCVRPAgentAround, HCVRPTaskAround, Surroundings
from geopar.paper.windows import build_cache
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.random import generate
from paper_states import partway, small_policy

# Four customers on a line, one length from each to the next; the depot is at the left end.
LINE = HCVRP(
    depot=(0.0, 0.0),
    customers=[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)],
    demand=[1.0, 1.0, 2.0, 4.0],
    capacity=[4.0, 8.0],
    speed=[1.0, 1.0],
)


def of(problem: HCVRP) -> Surroundings:
    batch = make_batch([problem])
    return Surroundings.of(batch, build_cache(batch))


def seen_after(problem: HCVRP, *actions: list[int]) -> tuple[HCVRPAgentAround, HCVRPTaskAround]:
    """After joint actions: a customer or the depot for each vehicle."""
    environment = make_environment(make_batch([problem]))
    state = environment.reset(1)
    for action in actions:
        state = environment.step(state, torch.tensor([[action]]))
    return of(problem).seen(state)


def test_what_is_near_counts_by_its_distance():
    near = of(LINE)
    weight = [1.0 / (1.0 + (gap / REACH) ** 2) for gap in (1.0, 2.0, 3.0)]
    shown = near.mean_around(torch.eye(4)[None])[0]  # of the i-th customer alone, at each
    expected = torch.tensor([0.0, *weight]) / sum(weight)
    assert torch.allclose(shown[:, 0], expected, atol=1e-6)
    assert torch.allclose(shown.sum(0), torch.ones(4))
    assert torch.equal(shown.diagonal(), torch.zeros(4))


def test_nothing_is_around_vehicles_at_the_depot():
    agents, tasks = seen_after(LINE)
    for part in agents:
        assert torch.equal(part, torch.zeros(1, 1, 2))
    assert torch.equal(tasks.reached, torch.zeros(1, 1, 4))
    assert torch.allclose(tasks.crowd, torch.ones(1, 1, 4))
    assert torch.allclose(tasks.farthest.flatten(), torch.tensor([0.25, 0.5, 0.75, 1.0]))


def test_what_vehicles_on_their_way_see():
    # The first drives to the second customer, the other one to the last.
    agents, tasks = seen_after(LINE, [1, 3])
    weight = [1.0 / (1.0 + (gap / REACH) ** 2) for gap in (1.0, 2.0)]
    # Around the second customer the first and third are open, the last one is not.
    share = 2 * weight[0] / (2 * weight[0] + weight[1])
    assert float(agents.crowd[0, 0, 0]) == pytest.approx(share)
    load = weight[0] * (1.0 + 2.0) / (2 * weight[0] + weight[1])
    filling = 4.0 * load / 3.0  # it has room for three more
    assert float(agents.fills[0, 0, 0]) == pytest.approx(filling / (1.0 + filling), rel=1e-5)
    # They are two lengths apart, and so they see each other.
    assert agents.rival.flatten().tolist() == pytest.approx([1 / 3, 1 / 3])
    assert tasks.reached.flatten().tolist() == pytest.approx([0.5, 1.0, 0.5, 1.0])
    assert float(tasks.farthest[0, 0, 2]) == pytest.approx(1.0)


def test_only_vehicles_with_room_reach_a_customer():
    # The smaller one is at the third customer, with room for two: not enough for the last.
    _, tasks = seen_after(LINE, [2, 4])
    assert tasks.reached.flatten().tolist() == pytest.approx([1 / 3, 0.5, 1.0, 0.0])


@given(st.integers(0, 1000))
def test_units_and_place_do_not_matter(seed):
    problem = generate("hcvrp/9/3", seed=seed)
    moved = HCVRP(
        depot=7.0 * problem.depot_xy + 3.0,
        customers=7.0 * problem.customers_xy + 3.0,
        demand=problem.demand,
        capacity=problem.capacity,
        speed=problem.speed,
    )
    actions = [[0, 1, 2], [3, 4, 9]]
    for one, other in zip(seen_after(problem, *actions), seen_after(moved, *actions), strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert torch.allclose(mine, theirs, atol=1e-4)


def test_many_customers_are_seen_as_few_are(monkeypatch):
    near, value = of(generate("hcvrp/30/3", seed=1)), torch.rand(1, 5, 30)
    dense = near.mean_around(value)
    monkeypatch.setattr(surroundings, "MOST_DENSE", 1)
    assert torch.allclose(dense, near.mean_around(value), atol=1e-6)


@pytest.mark.parametrize("problem", [instances.handful(), LINE.select([0], [0, 1])])
def test_everything_is_finite_to_the_end(problem):
    environment = make_environment(make_batch([problem]))
    state, near = environment.reset(1), of(problem)
    for task in range(problem.num_tasks):
        home = [problem.num_tasks] * (problem.num_vehicles - 1)
        for action in ([*home, task], [*home, problem.num_tasks]):
            state = environment.step(state, torch.tensor([[action]]))
            for part in (*near.seen(state)[0], *near.seen(state)[1]):
                assert bool(torch.isfinite(part).all())
                assert bool((part >= 0.0).all())
    assert np.all(state.done.numpy())


def test_sizes_are_what_is_observed():
    config = NetworkConfig("hcvrp", state="around")
    encoded, state = partway(small_policy("hcvrp"), "hcvrp/12/3", 3)
    observer = make_observer(encoded.environment.batch, encoded.cache)
    seen = observe(config, encoded.environment, observer, state, encoded.memory.listed)
    sizes = observation_sizes(config)
    assert seen.agents.shape == (2, 2, 3, sizes.agents)
    assert seen.tasks.shape == (2, 2, 13, sizes.tasks)
    # Nothing is around home.
    assert bool((seen.tasks[..., -1, 1:] == 0.0).all())


def test_orders_have_no_surroundings():
    with pytest.raises(InputError, match="is for hcvrp alone"):
        NetworkConfig("omdcpdp", state="around")
