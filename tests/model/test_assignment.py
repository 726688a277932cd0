import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.model import assignment as module
from geopar.model import conflict_kernel
from geopar.model.assignment import (
    Proposals,
    assign,
    greedy,
    log_prob,
    make_pool,
    pool_scores,
    predicted_conflict,
    resolve,
    sample,
    savings,
    soft_cost,
)
from geopar.model.configuration import ASSIGNMENT_VARIANTS, MODES, AssignmentConfig
from geopar.model.policy import Scores
from midway import midway, policy_for

SETTINGS = ["hcvrp/14/4", "omdcpdp/14/4"]
INF = math.inf


def scored(setting, steps=3):
    policy = policy_for(setting.partition("/")[0], pointer=True)
    encoded, state = midway(policy, setting, steps)
    with torch.no_grad():
        return encoded, state, policy.logits(encoded, state)


def config_for(setting, **changes):
    return AssignmentConfig.of_paper(setting.partition("/")[0], **changes)


def gap(encoded, state, b, r, m, task):
    batch = encoded.environment.batch
    return math.dist(state.position[b, r, m].tolist(), batch.places[b, task].tolist())


def depot_gap(encoded, b, point):
    return math.dist(point, encoded.environment.batch.reference[b].tolist())


def pool_by_loops(config, encoded, state, scores, b, r, m):
    """(task, from the cache) of every pool entry without the random ones, in source order."""
    home, cache = encoded.environment.batch.num_tasks, encoded.cache
    log_p = scores.logits[b, r, m].log_softmax(-1).tolist()
    tasks = scores.candidates[b, r, m].tolist()
    allowed = [k for k, value in enumerate(log_p) if value > -INF]
    place, here = int(state.place[b, r, m]), state.position[b, r, m].tolist()
    points = encoded.environment.batch.places[b].tolist()
    chosen = [(k, False) for k in sorted(allowed, key=lambda k: -log_p[k])[: config.from_logits]]

    def geometry(task):
        if place == home:
            return -depot_gap(encoded, b, points[task]) / float(cache.mean_depot_distance[b])
        ranks = cache.rank[b]
        offset = min(abs(int(ranks[o, task] - ranks[o, place])) for o in range(len(ranks)))
        if offset > cache.radius:
            return None
        apart = math.dist(points[place], points[task])
        away = depot_gap(encoded, b, points[place]) + depot_gap(encoded, b, points[task])
        mean = float(cache.mean_distance[b])
        return (away - apart) / mean - apart / mean - 0.1 * offset / cache.radius

    near = {k: geometry(tasks[k]) for k in allowed if tasks[k] < home}
    retrieval = {k: 0.7 * log_p[k] + 0.3 * g for k, g in near.items() if g is not None}
    best = sorted(retrieval, key=lambda k: -retrieval[k])[: config.from_cache]
    chosen += [(k, True) for k in best]

    def saving(k):
        there = points[tasks[k]]
        apart = math.dist(here, there)
        return depot_gap(encoded, b, here) + depot_gap(encoded, b, there) - apart

    real = [k for k in allowed if tasks[k] < home]
    chosen += [(k, False) for k in sorted(real, key=lambda k: -saving(k))[: config.from_savings]]
    first: dict[int, bool] = {}
    for k, cached in chosen:
        first.setdefault(k, cached)
    score = {}
    for k, cached in first.items():
        bonus = retrieval[k] if cached and config.geometric_bonus else 0.0
        score[tasks[k]] = log_p[k] + config.geometry_weight * bonus
        score[tasks[k]] -= cost_by_hand(config, encoded, state, b, r, m, tasks[k])
    return [(tasks[k], cached) for k, cached in first.items()], score


def cost_by_hand(config, encoded, state, b, r, m, task):
    """Ω of Eq. 23."""
    batch = encoded.environment.batch
    home = batch.num_tasks
    time, tight = gap(encoded, state, b, r, m, task), 0.0
    if batch.kind == "hcvrp":
        time /= float(batch.speed[b, m])
        if task < home:
            slack = float(state.left[b, r, m] - batch.demand[b, task])
            slack *= 40 / float(batch.capacity[b].max())
            tight = max(-slack, 0.0) + 0.1 / max(slack, 1e-4)
    elif task == home:
        time = 0.0
    length = float(state.length[b, r, m])
    return (
        config.time_weight * time
        + config.makespan_weight * (length + time)
        + config.capacity_weight * tight
    )


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    ("variant", "steps"),
    [
        ("full", 4), ("logit-cf", 4), ("geopool", 4), ("full-without-cache", 4),
        # From the depot all savings are equal, so only the others have one answer there.
        ("logit-cf", 0), ("geopool", 0),
    ],
)  # fmt: skip
def test_pool_and_scores_are_those_of_the_paper(setting, variant, steps):
    encoded, state, scores = scored(setting, steps)
    config = config_for(setting, **ASSIGNMENT_VARIANTS[variant])
    pool = make_pool(config, encoded, state, scores, training=False)
    proposals = pool_scores(config, encoded, state, scores, pool)
    for b, r, m in itertools.product(range(2), range(2), range(4)):
        valid = pool.valid[b, r, m]
        tasks = proposals.task[b, r, m][valid].tolist()
        cached = pool.cached[b, r, m][valid].tolist()
        expected, score = pool_by_loops(config, encoded, state, scores, b, r, m)
        assert list(zip(tasks, cached, strict=True)) == expected
        seen = proposals.score[b, r, m][valid].tolist()
        assert seen == pytest.approx([score[task] for task in tasks], abs=1e-3, rel=1e-4)


def test_savings_by_hand():
    encoded, state, scores = scored("hcvrp/14/4")
    seen = savings(encoded, state, scores.candidates)
    task = int(scores.candidates[0, 0, 1, 0])
    here = state.position[0, 0, 1].tolist()
    there = encoded.environment.batch.places[0, task].tolist()
    expected = depot_gap(encoded, 0, here) + depot_gap(encoded, 0, there) - math.dist(here, there)
    assert float(seen[0, 0, 1, 0]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("setting", SETTINGS)
def test_soft_costs_are_equation_23(setting):
    encoded, state, scores = scored(setting)
    config = config_for(setting)
    cost = soft_cost(config, encoded, state, scores.candidates)
    for m, k in itertools.product(range(4), range(scores.candidates.shape[-1])):
        if scores.logits[0, 0, m, k] > -INF:
            task = int(scores.candidates[0, 0, m, k])
            expected = cost_by_hand(config, encoded, state, 0, 0, m, task)
            assert float(cost[0, 0, m, k]) == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_training_adds_random_candidates_that_are_allowed():
    encoded, state, scores = scored("hcvrp/14/4")
    config = config_for("hcvrp/14/4")
    plain = make_pool(config, encoded, state, scores, training=False)
    explored = make_pool(config, encoded, state, scores, True, torch.Generator().manual_seed(0))
    assert explored.column.shape[-1] == plain.column.shape[-1] + config.from_random
    assert explored.valid.sum() > plain.valid.sum()
    assert (scores.logits.gather(-1, explored.column)[explored.valid] > -INF).all()


@st.composite
def proposals(draw, max_agents=4, max_tasks=4):
    """Scores of a few agents for a few tasks and home, some of them excluded."""
    agents, tasks = draw(st.integers(1, max_agents)), draw(st.integers(1, max_tasks))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    score = torch.randn(1, 1, agents, tasks + 1, generator=generator) * 2
    hidden = torch.rand(score.shape, generator=generator) < draw(st.floats(0, 0.6))
    hidden[..., -1] &= draw(st.booleans())
    # Everybody has something.
    hidden[..., 0] &= ~hidden.all(-1)
    task = torch.rand(score.shape, generator=generator).argsort(-1)
    return Proposals(score.masked_fill(hidden, -INF), task), tasks


def no_task_twice(action, num_tasks):
    named = [a for a in action.flatten().tolist() if a < num_tasks]
    return len(named) == len(set(named))


def is_allowed(given, action, num_tasks):
    for m, a in enumerate(action[0, 0].tolist()):
        allowed = given.task[0, 0, m][given.score[0, 0, m] > -INF].tolist()
        if a <= num_tasks and a not in allowed:
            return False
    return True


@given(proposals(), st.integers(0, 2**31))
def test_sampling_never_repeats_a_task_and_is_always_allowed(case, seed):
    given_, num_tasks = case
    config = AssignmentConfig()
    generator = torch.Generator().manual_seed(seed)
    action, order = sample(config, given_, num_tasks, generator)
    assert no_task_twice(action, num_tasks)
    assert is_allowed(given_, action, num_tasks)
    assert sorted(order[0, 0].tolist()) == list(range(order.shape[-1]))
    assert (log_prob(config, given_, action, order, num_tasks) <= 1e-6).all()


@given(proposals(), st.sampled_from([0.0, 0.03, 0.5]), st.sampled_from([0.5, 1.0, 1.2]))
def test_probabilities_of_all_joint_actions_sum_to_one(case, exploration, temperature):
    given_, num_tasks = case
    config = AssignmentConfig(exploration=exploration, temperature=temperature)
    agents = given_.score.shape[2]
    order = torch.rand(agents, generator=torch.Generator().manual_seed(0)).argsort().view(1, 1, -1)
    total = 0.0
    for joint in every_joint_action(given_, order[0, 0].tolist(), num_tasks):
        action = torch.tensor(joint).view(1, 1, -1)
        total += float(log_prob(config, given_, action, order, num_tasks).sum().exp())
    assert total == pytest.approx(1.0, abs=1e-4)


def every_joint_action(given_, order, num_tasks):
    """All that agents can end up with when they choose one after the other."""
    turn = sorted(range(len(order)), key=lambda m: order[m])

    def extend(chosen):
        if len(chosen) == len(turn):
            yield [chosen[m] for m in range(len(turn))]
            return
        m = turn[len(chosen)]
        allowed = given_.task[0, 0, m][given_.score[0, 0, m] > -INF].tolist()
        left = [a for a in allowed if a == num_tasks or a not in chosen.values()]
        for a in left or [num_tasks + 1]:
            yield from extend(chosen | {m: a})

    return list(extend({}))


def test_frequencies_are_the_probabilities():
    torch.manual_seed(3)
    given_ = Proposals(torch.randn(1, 1, 3, 3), torch.tensor([0, 1, 2]).expand(1, 1, 3, -1))
    config, order = AssignmentConfig(exploration=0.2), torch.tensor([[[2, 0, 1]]])
    count = 20_000
    many = Proposals(*(t.expand(1, count, -1, -1) for t in given_))
    action, _ = sample(
        config, many, 2, torch.Generator().manual_seed(0), order.expand(1, count, -1)
    )
    for joint in every_joint_action(given_, order[0, 0].tolist(), 2):
        expected = log_prob(config, given_, torch.tensor([[joint]]), order, 2).sum().exp()
        seen = (action[0] == torch.tensor(joint)).all(-1).float().mean()
        assert float(seen) == pytest.approx(float(expected), abs=0.015)


@given(proposals(), st.integers(0, 2**31))
def test_rounds_of_proposals_draw_what_turns_would(case, seed):
    """Deferred acceptance with one common priority is a serial dictatorship."""
    given_, num_tasks = case
    generator = torch.Generator().manual_seed(seed)
    wish = torch.where(
        given_.score > -INF, torch.randn(given_.score.shape, generator=generator), -INF
    )
    order = torch.rand(wish.shape[:3], generator=generator).argsort(-1)
    action = module._accept(wish, given_.task, -order[..., None].float(), num_tasks)
    taken: set[int] = set()
    for m in sorted(range(wish.shape[2]), key=lambda m: int(order[0, 0, m])):
        pairs = zip(wish[0, 0, m].tolist(), given_.task[0, 0, m].tolist(), strict=True)
        left = [(w, a) for w, a in pairs if w > -INF and (a == num_tasks or a not in taken)]
        expected = max(left)[1] if left else num_tasks + 1
        taken.add(expected)
        assert int(action[0, 0, m]) == expected


@given(proposals(), st.integers(1, 3), st.permutations(range(4)))
def test_resolution_does_not_depend_on_how_agents_are_numbered(case, count, order):
    given_, num_tasks = case
    shuffled = [m for m in order if m < given_.score.shape[2]]
    action = resolve(given_, num_tasks, count)
    assert no_task_twice(action, num_tasks)
    assert is_allowed(given_, action, num_tasks)
    again = resolve(Proposals(*(t[:, :, shuffled] for t in given_)), num_tasks, count)
    assert torch.equal(action[:, :, shuffled], again)


def test_a_contested_task_goes_to_the_highest_score_and_losers_go_on():
    score = torch.tensor([[[[-1.0, -2.0, -INF], [-0.5, -3.0, -INF], [-0.9, -INF, -INF]]]])
    given_ = Proposals(score, torch.tensor([0, 1, 2]).expand(1, 1, 3, -1))
    assert resolve(given_, 2, 1).tolist() == [[[3, 0, 3]]]
    assert resolve(given_, 2, 2).tolist() == [[[1, 0, 3]]]


def test_equal_scores_go_to_the_lower_number():
    given_ = Proposals(torch.zeros(1, 1, 2, 1), torch.zeros(1, 1, 2, 1, dtype=torch.int64))
    assert resolve(given_, 1, 1).tolist() == [[[0, 2]]]


@given(proposals())
def test_compiled_greedy_is_resolution_with_one_proposal(case):
    given_, num_tasks = case
    scores = Scores(given_.score, given_.task)
    expected = resolve(Proposals(given_.score.log_softmax(-1), given_.task), num_tasks, 1)
    assert torch.equal(greedy(scores, num_tasks), expected)


@given(proposals(), st.integers(1, 4))
def test_compiled_resolution_is_that_of_tensors(case, count):
    (score, task), num_tasks = case
    expected = resolve(Proposals(score.log_softmax(-1), task), num_tasks, count)
    action = torch.empty_like(expected)
    compiled = (score[0].numpy(), task[0].numpy(), 1, num_tasks, count, action[0].numpy())
    conflict_kernel.resolve(*compiled)
    assert torch.equal(action, expected)


def test_greedy_is_the_same_with_shared_and_with_many_columns(monkeypatch):
    encoded, _, scores = scored("hcvrp/14/4")
    num_tasks = encoded.environment.batch.num_tasks
    copied = Scores(scores.logits, scores.candidates.contiguous())
    action = greedy(scores, num_tasks)
    assert torch.equal(action, greedy(copied, num_tasks))
    monkeypatch.setattr(module, "MOST_COMPILED_COLUMNS", 0)
    assert torch.equal(action, greedy(scores, num_tasks))


def test_predicted_conflict_by_hand():
    logits = torch.tensor([[[[2.0, 1.0, 0.0], [3.0, 1.0, 0.0], [0.0, 5.0, 1.0], [0.0, 1.0, 9.0]]]])
    scores = Scores(logits, torch.tensor([0, 1, 2]).expand(1, 1, 4, -1))
    # Three want tasks, two of them the same; home is nobody's loss.
    assert float(predicted_conflict(scores, 2)) == pytest.approx(1 / 3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("variant", ["full", "plain"])
def test_every_mode_gives_an_executable_action(mode, setting, variant):
    encoded, state, scores = scored(setting)
    config = config_for(setting, least_agents=1, least_tasks=1, **ASSIGNMENT_VARIANTS[variant])
    action = assign(config, mode, encoded, state, scores, torch.Generator().manual_seed(0))
    num_tasks = encoded.environment.batch.num_tasks
    mask = encoded.environment.mask(state)
    for b, r in itertools.product(range(2), range(2)):
        assert no_task_twice(action[b, r], num_tasks)
        for m, a in enumerate(action[b, r].tolist()):
            assert a == num_tasks + 1 or bool(mask[b, r, m, a])


def test_the_thresholds_of_the_paper_switch_between_the_modes():
    encoded, state, scores = scored("hcvrp/14/4", steps=0)
    num_tasks = encoded.environment.batch.num_tasks
    simple = greedy(scores, num_tasks)
    few = config_for("hcvrp/14/4")
    assert torch.equal(assign(few, "ca", encoded, state, scores), simple)
    crowded = config_for("hcvrp/14/4", least_agents=1, least_tasks=1)
    always = assign(crowded, "ca-always", encoded, state, scores)
    chosen = assign(crowded, "ca", encoded, state, scores)
    conflict = predicted_conflict(scores, num_tasks) >= crowded.least_conflict
    assert torch.equal(chosen, torch.where(conflict[..., None], always, simple))
    assert conflict.any()
