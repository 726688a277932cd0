"""Who gets a contested task, against agents that ask one by one."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.neural import conflicts
from geopar.neural.conflict_kernel import resolve
from geopar.neural.conflicts import Scores, accept, contested_share, greedy, settle

NEVER = -np.inf


def served(preference, task, priority, num_tasks):
    """Proposers ask down their lists; a task keeps the best so far, by priority, then number."""
    fleet, holder = len(preference), {}
    lists = [
        [k for k in np.argsort(-np.asarray(row), kind="stable") if row[k] > NEVER]
        for row in preference
    ]
    action, waiting = [num_tasks + 1] * fleet, list(range(fleet))
    while waiting:
        m = waiting.pop()
        if not lists[m]:
            action[m] = num_tasks + 1
            continue
        k = lists[m].pop(0)
        action[m] = wanted = task[m][k]
        if wanted == num_tasks:
            continue
        claim = (-priority[m][k], m)
        if wanted not in holder:
            holder[wanted] = (claim, m)
        elif claim < holder[wanted][0]:
            waiting.append(holder[wanted][1])
            holder[wanted] = (claim, m)
        else:
            waiting.append(m)
    return action


def accepted(preference, task, priority, num_tasks):
    """The same in a few rounds of tensor operations."""
    rows, tasks, claims = (torch.tensor(one)[None, None] for one in (preference, task, priority))
    return accept(rows, tasks, claims, num_tasks)[0, 0].tolist()


@st.composite
def markets(draw):
    """Preferences without ties for one agent, tasks, and priorities with ties between agents."""
    fleet, tasks = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    columns = tasks + 1
    preference = [draw(st.permutations(range(columns))) for _ in range(fleet)]
    allowed = [[draw(st.booleans()) for _ in range(columns)] for _ in range(fleet)]
    values = [
        [float(p) if ok else NEVER for p, ok in zip(row, oks, strict=True)]
        for row, oks in zip(preference, allowed, strict=True)
    ]
    task = [draw(st.permutations(range(columns))) for _ in range(fleet)]
    priority = [[float(draw(st.integers(0, 2)))] * columns for _ in range(fleet)]
    return values, task, priority, tasks


@given(markets())
def test_accepting_is_asking_one_by_one(market):
    preference, task, priority, tasks = market
    assert accepted(*market) == served(preference, task, priority, tasks)


@given(markets())
def test_nobody_would_rather_change(market):
    preference, task, priority, tasks = market
    action = accepted(*market)
    taken = [a for a in action if a < tasks]
    assert len(set(taken)) == len(taken)
    for m, row in enumerate(preference):
        mine = [row[k] for k in range(tasks + 1) if task[m][k] == action[m]]
        got = mine[0] if mine else NEVER
        for k, value in enumerate(row):
            if value > got and task[m][k] < tasks:
                # Whoever has what I would rather have comes before me.
                other = action.index(task[m][k])
                theirs = (-priority[other][0], other)
                assert theirs < (-priority[m][k], m)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 6))
def test_compiled_and_tensor_greedy_agree(seed, fleet, tasks):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn((2, 3, fleet, tasks + 1), generator=generator)
    shut = torch.rand(logits.shape, generator=generator) < 0.3
    shut[..., -1] = False
    scores = Scores(logits.masked_fill(shut, NEVER), torch.arange(tasks + 1).expand(logits.shape))
    compiled = greedy(scores, tasks)
    most = conflicts.MOST_COMPILED_COLUMNS
    conflicts.MOST_COMPILED_COLUMNS = 0
    try:
        assert torch.equal(greedy(scores, tasks), compiled)
    finally:
        conflicts.MOST_COMPILED_COLUMNS = most


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_losers_name_their_next_best_up_to_a_number(seed, count):
    rng = np.random.default_rng(seed)
    rows, fleet, tasks = 3, 4, 5
    logits = rng.standard_normal((rows, fleet, tasks + 1)).astype(np.float32)
    logits[rng.random(logits.shape) < 0.2] = NEVER
    # A vehicle that names a column once too often stays: the others are cut off.
    kept = np.full(logits.shape, NEVER, dtype=np.float32)
    best = np.argsort(-logits, axis=-1, kind="stable")[..., :count]
    np.put_along_axis(kept, best, np.take_along_axis(logits, best, -1), -1)
    candidates = np.broadcast_to(np.arange(tasks + 1), logits.shape)
    action = np.empty((rows, fleet), dtype=np.int64)
    resolve(logits, np.ascontiguousarray(candidates), 1, tasks, count, action)
    # The winner of a task is the one to whom it is most probable among all that it may do.
    total = np.log(np.exp(logits.astype(np.float64)).sum(-1, keepdims=True))
    with np.errstate(invalid="ignore"):
        share = logits - total
    for s in range(rows):
        expected = served(kept[s].tolist(), candidates[s].tolist(), share[s].tolist(), tasks)
        assert action[s].tolist() == expected


def test_one_list_for_all_is_as_good_as_one_each():
    rng = np.random.default_rng(3)
    logits = rng.standard_normal((4, 3, 6)).astype(np.float32)
    shared = np.array([[[4, 2, 0, 1, 3, 5]], [[0, 1, 2, 3, 4, 5]]])
    one, other = np.empty((4, 3), dtype=np.int64), np.empty((4, 3), dtype=np.int64)
    resolve(logits, shared, 2, 5, 3, one)
    each = np.ascontiguousarray(np.broadcast_to(shared.repeat(2, axis=0), logits.shape))
    resolve(logits, each, 1, 5, 3, other)
    assert one.tolist() == other.tolist()


@pytest.mark.parametrize("count", [1, 2])
def test_of_equals_the_lower_number_wins(count):
    logits = np.zeros((1, 3, 3), dtype=np.float32)
    logits[..., 0] = 1.0
    candidates = np.ascontiguousarray(np.broadcast_to(np.arange(3), logits.shape))
    action = np.empty((1, 3), dtype=np.int64)
    resolve(logits, candidates, 1, 2, count, action)
    assert action.tolist() == [[0, 3, 3] if count == 1 else [0, 1, 3]]


def test_home_is_for_everybody():
    logits = torch.tensor([[[[0.0, 0.0, 9.0], [0.0, 0.0, 9.0]]]])
    scores = Scores(logits, torch.arange(3).expand(logits.shape))
    assert greedy(scores, 2).tolist() == [[[2, 2]]]


@pytest.mark.parametrize(
    ("priority", "expected"),
    [([1.0, 2.0, 0.0], [3, 0, 1]), ([2.0, 2.0, 2.0], [0, 3, 1]), ([0.0, 0.0, 5.0], [0, 3, 1])],
)
def test_settling_by_priority_then_by_number(priority, expected):
    # The first two want task 0, the third task 1; N = 2, so that 3 is to stay.
    proposal = torch.tensor([[[0, 0, 1]]])
    assert settle(proposal, torch.tensor([[priority]]), 2).tolist() == [[expected]]


def test_the_share_of_those_who_want_what_others_want():
    logits = torch.zeros((1, 3, 4, 4))
    favourite = torch.tensor([[[0, 0, 0, 1], [0, 1, 2, 3], [3, 3, 3, 3]]])
    logits.scatter_(-1, favourite[..., None], 5.0)
    scores = Scores(logits, torch.arange(4).expand(logits.shape))
    # Two of four come too late; all have their own; nobody has a task in mind.
    assert contested_share(scores, 3).tolist() == [[0.5, 0.0, 0.0]]
