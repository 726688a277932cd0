import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import instances
from geopar.check import check
from geopar.errors import InputError
from geopar.model.assignment import Proposals, resolve
from geopar.model.configuration import ModelConfig, guided_config, paper_config
from geopar.model.look import Look
from geopar.model.policy import Policy
from geopar.model.sketch import ADDED, hcvrp_sketch, omdcpdp_sketch, sketch_batch, sketch_of
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from geopar.problems.environment import Recorder, make_environment
from geopar.problems.random import generate

KINDS = ["hcvrp", "omdcpdp"]


def problems(kind, count=3, tasks=12, vehicles=3):
    return [generate(f"{kind}/{tasks}/{vehicles}", seed=seed) for seed in range(count)]


def guided(kind, **changes):
    torch.manual_seed(0)
    return Policy(ModelConfig(kind, pointer=False, geometry=False, sketches=2, **changes))


def sketched(problem, tries):
    return (hcvrp_sketch if isinstance(problem, HCVRP) else omdcpdp_sketch)(problem, tries)


def states_on_the_way(policy, environment, encoded, seed=0):
    """States of a rollout that follows nobody."""
    generator = torch.Generator().manual_seed(seed)
    state = environment.reset(2)
    while not bool(state.done.all()):
        yield state
        scores = policy.logits(encoded, state)
        chance = torch.rand(scores.logits.shape, generator=generator)
        chance = chance.masked_fill(scores.logits == -torch.inf, -torch.inf)
        action = resolve(Proposals(chance, scores.candidates), environment.batch.num_tasks, 4)
        state = environment.step(state, action)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_who_follows_the_sketch_drives_it(kind):
    listed = problems(kind)
    policy, environment = guided(kind), make_environment(make_batch(listed))
    encoded, recorder = policy.encode(environment), Recorder(environment.batch)
    state = environment.reset()
    while not bool(state.done.all()):
        look = policy.look(encoded, state)
        follows = look.pairs[..., -ADDED.pairs].masked_fill(~look.feasible, -torch.inf)
        action = resolve(Proposals(follows, look.candidates), environment.batch.num_tasks, 1)
        recorder.add(action)
        state = environment.step(state, action)
    for row, problem in enumerate(listed):
        plan = Plan.from_indices(problem, recorder.routes(row))
        own = Plan.from_indices(problem, sketched(problem, 2))
        assert check(problem, plan).objective == pytest.approx(check(problem, own).objective)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_compiled_and_tensor_versions_agree(kind):
    policy, environment = guided(kind), make_environment(make_batch(problems(kind)))
    encoded = policy.encode(environment)
    sketch, scene = encoded.sketch, encoded.scene
    for state in states_on_the_way(policy, environment, encoded):
        wish = sketch.wish(state, scene.room(state))
        assert torch.equal(wish, sketch._wish_by_tensors(state, scene.room(state)))
        everything = torch.arange(environment.batch.num_tasks + 1).expand(len(state.open), -1)
        for candidates in (None, everything):
            look = policy._look(encoded, state, candidates, [wish])
            arguments = (look, state, wish, scene.pace, look.agents[..., 3])
            for one, other in zip(
                sketch._seen_compiled(*arguments), sketch._seen_by_tensors(*arguments), strict=True
            ):
                torch.testing.assert_close(one, other)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_the_wish_is_a_candidate_and_allowed(kind):
    policy = guided(kind, reach_size=2)
    environment = make_environment(make_batch(problems(kind)))
    encoded = policy.encode(environment)
    for state in states_on_the_way(policy, environment, encoded):
        look = policy.look(encoded, state)
        wish = encoded.sketch.wish(state, encoded.scene.room(state))
        is_wish = look.candidates == wish[..., None]
        serves = wish < environment.batch.num_tasks
        assert (is_wish & look.feasible).any(-1)[serves].all()


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_somebody_has_to_move(kind):
    policy, environment = guided(kind), make_environment(make_batch(problems(kind)))
    encoded = policy.encode(environment)
    for state in states_on_the_way(policy, environment, encoded, seed=1):
        look: Look = policy.look(encoded, state)
        out = state.place < environment.batch.num_tasks
        going = ~look.feasible[..., -1] & look.feasible[..., :-1].any(-1)
        if kind == "hcvrp":
            going |= out
        assert (going.any(-1) | state.done).all()


@given(seed=st.integers(0, 50), vehicles=st.integers(1, 4), tasks=st.integers(1, 6))
@settings(max_examples=20)
def test_a_sketch_lists_every_task_once(seed, vehicles, tasks):
    for kind in KINDS:
        problem = generate(f"{kind}/{2 * tasks}/{vehicles}", seed=seed)
        sketch = sketch_batch(make_batch([problem]), 2)
        sequence = sketch.sequence[0]
        assert sorted(sequence.tolist()) == list(range(2 * tasks))
        assert sketch.rank[0, sequence].tolist() == list(range(2 * tasks))
        for vehicle in range(vehicles):
            part = sequence[sketch.first[0, vehicle] : sketch.first[0, vehicle + 1]]
            assert (sketch.owner[0, part] == vehicle).all()


def crowded(seed):
    """Long trips, so that sums are taken in blocks."""
    problem = generate("hcvrp/300/2", seed=seed)
    return problem.replace(capacity=problem.capacity * 20.0)


@pytest.mark.parametrize(
    "make", [instances.town, lambda: generate("hcvrp/40/3", seed=5), lambda: crowded(1)]
)
def test_tables_are_those_of_the_plan_to_the_bit(make):
    problem = make()
    batch = make_batch([problem])
    places = batch.places[0].double().numpy()
    scaled = HCVRP(
        depot=places[-1],
        customers=places[:-1],
        demand=problem.demand,
        capacity=problem.capacity,
        speed=batch.speed[0].double().numpy(),
    )
    sketch = {n: t[0].numpy() for n, t in sketch_batch(batch, 2).__dict__.items()}
    at, number = 0, 0
    for vehicle, trips in enumerate(hcvrp_sketch(scaled, 2)):
        assert sketch["first"][vehicle] == at
        for trip in trips:
            way = np.concatenate([places[-1:], places[trip], places[-1:]])
            share = np.hypot(*np.diff(way, axis=0).T).sum() / len(trip)
            assert (sketch["share"][trip] == np.float32(share)).all()
            assert sketch["sequence"][at : at + len(trip)].tolist() == trip.tolist()
            assert (sketch["owner"][trip] == vehicle).all()
            assert (sketch["trip"][trip] == number).all()
            at, number = at + len(trip), number + 1
    assert sketch["first"][-1] == at == problem.num_tasks


def test_more_tries_are_never_worse():
    problem = instances.town()
    costs = [
        check(problem, Plan.from_indices(problem, hcvrp_sketch(problem, tries))).objective
        for tries in (1, 2, 4, 8)
    ]
    assert costs == sorted(costs, reverse=True)


def test_the_driving_is_shared_out_among_the_tasks():
    problem = HCVRP(
        depot=(0, 0), customers=[(0, 3), (0, 6), (0, 9)], demand=[1, 1, 1], capacity=[3], speed=[2]
    )
    batch = make_batch([problem])
    # There and back.
    length = 18.0 / 2.0 / float(batch.scale)
    expected = [length / 3.0] * 3 + [0.0]
    assert sketch_batch(batch, 1).share[0].tolist() == pytest.approx(expected, rel=1e-5)


def test_an_environment_keeps_its_sketches():
    environment = make_environment(make_batch(problems("hcvrp")))
    assert sketch_of(environment, 2) is sketch_of(environment, 2)
    assert sketch_of(environment, 1) is not sketch_of(environment, 2)


def test_sketches_are_seen_by_the_edge_biased_pointer_alone():
    assert guided_config("hcvrp").sketches > 0
    with pytest.raises(InputError, match="sketches"):
        ModelConfig(**{**paper_config("hcvrp").to_json(), "sketches": 2})


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_some_instances_keep_their_sketches(kind):
    policy, environment = guided(kind), make_environment(make_batch(problems(kind)))
    encoded = policy.encode(environment)
    some = encoded.select(torch.tensor([2, 0]))
    state = some.environment.reset()
    other = environment.reset()
    mine, theirs = policy.logits(some, state), policy.logits(encoded, other)
    torch.testing.assert_close(mine.logits, theirs.logits[[2, 0]])
