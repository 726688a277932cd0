"""Contested tasks by lot, and lists of everything."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.peers.parallel import all_tasks, by_lot


def lot(proposal, seed=0, tasks=3):
    generator = torch.Generator().manual_seed(seed)
    return by_lot(torch.tensor(proposal), generator, tasks).tolist()


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5),
    st.integers(0, 2**31),
)
def test_each_task_goes_to_one_of_those_who_want_it(wishes, seed):
    (actions,) = lot([wishes], seed)
    for wish, action in zip(wishes, actions, strict=True):
        for task in set(wish) - {3}:
            assert action.count(task) == 1
            assert wish[action.index(task)] == task
        # Home is for everybody, and the others stay.
        assert action.count(3) == wish.count(3)
        assert all(a in (w, 4) for w, a in zip(wish, action, strict=True))


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.integers(0, 2**31))
def test_what_neighbours_want_changes_nothing(wish, seed):
    alone = lot([[wish]], seed)[0][0]
    beside = lot([[[0, 0, 0, 0], wish], [[2, 1, 2, 1], wish]], seed)
    assert beside[0][1] == beside[1][1] == alone


def test_the_lot_is_drawn_anew_each_time():
    generator = torch.Generator().manual_seed(1)
    proposal = torch.zeros((1, 1, 5), dtype=torch.int64)
    winners = {int(by_lot(proposal, generator, 2).argmin()) for _ in range(100)}
    assert winners == {0, 1, 2, 3, 4}


def test_everything_is_listed_with_home_last():
    logits = torch.zeros((2, 3, 4, 6))
    scores = all_tasks(logits)
    assert scores.candidates.shape == logits.shape
    assert scores.candidates[1, 2, 3].tolist() == [0, 1, 2, 3, 4, 5]
    assert scores.logits is logits
