import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import instances
from geopar.check import check
from geopar.model.configuration import ASSIGNMENT_VARIANTS, AssignmentConfig, ModelConfig
from geopar.model.construct import construct
from geopar.model.rollout import Rollout
from geopar.model.weights import random_policy
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from geopar.stop import Budget, MaxRuntime


def policy_for(problem, **changes):
    return random_policy(problem.kind, ModelConfig(problem.kind, pointer=False, **changes))


def step_by_step(problem, network, mode="greedy", assignment=None):
    """Traces are made step by step."""
    return construct(problem, network, mode, assignment=assignment, trace=True)


@pytest.mark.parametrize(
    ("setting", "changes"),
    [
        ("hcvrp/12/3", {}),
        ("hcvrp/40/1", {}),
        ("hcvrp/30/9", {}),
        ("hcvrp/30/9", {"turns": 1}),
        ("hcvrp/200/4", {"turns": 3}),
        ("omdcpdp/12/3", {}),
        ("omdcpdp/40/1", {}),
        ("omdcpdp/30/9", {}),
        ("omdcpdp/400/6", {}),
    ],
)
def test_the_plans_are_those_of_single_steps(setting, changes):
    for seed in range(3):
        problem = generate(setting, seed=seed)
        network = policy_for(problem, reach_size=8, **changes)
        at_once, slowly = construct(problem, network, "greedy"), step_by_step(problem, network)
        assert at_once.plans == slowly.plans
        assert at_once.steps.tolist() == slowly.steps.tolist()
        assert at_once.objective == pytest.approx(slowly.objective, rel=1e-5)
        assert check(problem, at_once.plans[0]).feasible


@pytest.mark.parametrize("mode", ["ca", "ca-always"])
@pytest.mark.parametrize("setting", ["hcvrp/30/9", "omdcpdp/30/9"])
def test_plans_where_losers_go_on_are_those_of_single_steps(setting, mode):
    changes = ASSIGNMENT_VARIANTS["plain"] | {"least_agents": 2, "least_tasks": 2, "proposals": 4}
    for seed in range(3):
        problem = generate(setting, seed=seed)
        network = policy_for(problem, reach_size=8)
        assignment = AssignmentConfig.of_paper(problem.kind, **changes)
        at_once = construct(problem, network, mode, assignment=assignment)
        assert at_once.plans == step_by_step(problem, network, mode, assignment).plans
        assert at_once.plans != construct(problem, network, "greedy").plans
        assert check(problem, at_once.plans[0]).feasible


@given(
    kind=st.sampled_from(["hcvrp", "omdcpdp"]),
    seed=st.integers(0, 1000),
    tasks=st.integers(1, 4),
    vehicles=st.integers(1, 4),
)
@settings(max_examples=30, deadline=None)
def test_every_plan_is_feasible(kind, seed, tasks, vehicles):
    problem = generate(f"{kind}/{2 * tasks}/{vehicles}", seed=seed)
    plan = construct(problem, policy_for(problem), "greedy").plans[0]
    assert check(problem, plan).feasible


@pytest.mark.parametrize("make", instances.EVERY)
def test_named_instances(make):
    problem = make()
    network = policy_for(problem)
    assert construct(problem, network, "greedy").plans == step_by_step(problem, network).plans


@pytest.mark.parametrize("setting", ["hcvrp/15/3", "omdcpdp/14/3"])
def test_a_batch_gives_the_plans_of_its_instances(setting):
    many = [generate(setting, seed=seed) for seed in range(5)]
    network = policy_for(many[0])
    together = construct(many, network, "greedy")
    for row, problem in enumerate(many):
        assert together.plans[row] == construct(problem, network, "greedy").plans[0]


@pytest.mark.parametrize("setting", ["hcvrp/30/2", "omdcpdp/30/2"])
def test_looking_at_the_clock_changes_nothing(setting, monkeypatch):
    monkeypatch.setattr("geopar.model.rollout.HASTY", 6)
    problem = generate(setting, seed=1)
    network = policy_for(problem)
    with_clock = construct(problem, network, "greedy", budget=Budget(MaxRuntime(60)))
    assert with_clock.plans == construct(problem, network, "greedy").plans


@pytest.mark.parametrize("setting", ["hcvrp/12/2", "omdcpdp/12/2"])
@torch.no_grad()
def test_an_environment_is_left_as_it_was(setting):
    problem = generate(setting, seed=1)
    network = policy_for(problem)
    environment = network.environment(make_batch([problem]))
    routes = []
    for _ in range(2):
        rollout = Rollout(network, environment)
        while not rollout.go_on(hasty=True):
            pass
        routes.append(rollout.routes(0))
    assert routes[0] == routes[1]


@torch.no_grad()
def test_weights_that_change_are_seen():
    problem = generate("hcvrp/30/3", seed=1)
    network = policy_for(problem)
    before = construct(problem, network, "greedy").plans
    for weight in network.edge_pointer.parameters():
        weight.neg_()
    after = construct(problem, network, "greedy").plans
    assert after == step_by_step(problem, network).plans
    assert after != before
