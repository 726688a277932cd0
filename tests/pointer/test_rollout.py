import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import instances
from geopar.checking import check
from geopar.neural.conflicts import Scores, accept, greedy
from geopar.neural.recorder import Recorder
from geopar.pointer.config import PointerConfig, PointerDecoding
from geopar.pointer.network import PointerNetwork
from geopar.pointer.rollout import Rollout, decode_batch
from geopar.pointer.solver import construct
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.omdcpdp.insertion import PlannedRoutes
from geopar.problems.random import generate
from midway import oracle_of
from oracles.network import logits


def network_of(problem, **changes):
    return PointerNetwork.untrained(PointerConfig(problem.kind, **({"turns": 0} | changes)))


@torch.no_grad()
def step_by_step(problem, network, is_resolved=False):
    """Routes and steps of the same rollout in tensor operations."""
    batch = make_batch([problem])
    environment, home = make_environment(batch, inserts=True), batch.num_tasks
    oracle, recorder = oracle_of(network.config, environment), Recorder(batch, inserts=True)
    state = environment.reset()
    while not bool(state.done.all()):
        seen = oracle.observe(state)
        scores = logits(network, seen)
        if is_resolved:
            log_prob = scores.log_softmax(-1)
            # Everybody goes on proposing until it gets something.
            action = accept(log_prob, seen.candidates, log_prob, home)
        else:
            action = greedy(Scores(scores, seen.candidates), home)
        recorder.add(action)
        state = environment.step(state, action)
    routes = PlannedRoutes(state) if problem.kind == "omdcpdp" else recorder
    trips = [[list(map(int, trip)) for trip in route] for route in routes.routes(0)]
    return trips, int(state.steps)


def at_once(problem, network):
    rollout = Rollout(network, make_batch([problem]))
    rollout.finish()
    trips = [[list(map(int, trip)) for trip in route] for route in rollout.routes(0)]
    return trips, int(rollout.state.steps)


@pytest.mark.parametrize(
    ("setting", "changes"),
    [
        ("hcvrp/12/3", {}), ("hcvrp/40/1", {}), ("hcvrp/30/9", {}), ("hcvrp/30/9", {"turns": 1}),
        ("hcvrp/200/4", {"turns": 3}), ("omdcpdp/12/3", {}), ("omdcpdp/40/1", {}),
        ("omdcpdp/30/9", {}), ("omdcpdp/400/6", {}),
    ],
)  # fmt: skip
def test_rollouts_are_those_of_single_steps(setting, changes):
    for seed in range(2):
        problem = generate(setting, seed=seed)
        network = network_of(problem, reach=8, **changes)
        assert at_once(problem, network) == step_by_step(problem, network)


@pytest.mark.parametrize("setting", ["hcvrp/30/9", "omdcpdp/30/9"])
def test_losers_go_on_where_conflicts_are_resolved(setting):
    problem = generate(setting, seed=1)
    network = network_of(problem, reach=8)
    plain = at_once(problem, network)
    network.decoding = PointerDecoding("resolve", proposals=9)
    resolved = at_once(problem, network)
    assert resolved == step_by_step(problem, network, is_resolved=True)
    assert resolved != plain
    network.decoding = PointerDecoding("resolve", proposals=9, least_vehicles=10)
    assert at_once(problem, network) == plain


@given(
    kind=st.sampled_from(["hcvrp", "omdcpdp"]),
    seed=st.integers(0, 1000),
    tasks=st.integers(1, 4),
    vehicles=st.integers(1, 4),
)
@settings(max_examples=30, deadline=None)
def test_every_plan_is_feasible(kind, seed, tasks, vehicles):
    problem = generate(f"{kind}/{2 * tasks}/{vehicles}", seed=seed)
    built = construct([problem], network_of(problem))
    report = check(problem, built.plans[0])
    assert report.feasible
    assert report.objective == pytest.approx(float(built.objective[0]), rel=1e-5)


@pytest.mark.parametrize("make", instances.EVERY)
def test_named_instances(make):
    problem = make()
    assert check(problem, construct([problem], network_of(problem)).plans[0]).feasible


@pytest.mark.parametrize("setting", ["hcvrp/15/3", "omdcpdp/14/3"])
def test_a_batch_decodes_as_its_instances(setting):
    many = [generate(setting, seed=seed) for seed in range(5)]
    network = network_of(many[0])
    cost, steps = decode_batch(network, make_batch(many))
    built = construct(many, network)
    assert cost.tolist() == built.objective.tolist()
    assert steps.tolist() == built.steps.tolist()
    for row, problem in enumerate(many):
        assert built.plans[row] == construct([problem], network).plans[0]


@pytest.mark.parametrize("setting", ["hcvrp/30/2", "omdcpdp/30/2"])
def test_many_short_calls_do_what_one_long_call_does(setting, monkeypatch):
    monkeypatch.setattr("geopar.pointer.rollout.AGENTS_PER_CALL", 6)
    problem = generate(setting, seed=1)
    network = network_of(problem)
    rollout, calls = Rollout(network, make_batch([problem])), 1
    while not rollout.advance(briefly=True):
        calls += 1
    assert calls >= 3
    assert (rollout.routes(0), int(rollout.state.steps)) == at_once(problem, network)


@torch.no_grad()
def test_parameters_that_change_are_seen():
    problem = generate("hcvrp/30/3", seed=1)
    network = network_of(problem)
    before = at_once(problem, network)
    for weight in network.parameters():
        weight.neg_()
    after = at_once(problem, network)
    assert after == step_by_step(problem, network)
    assert after != before
