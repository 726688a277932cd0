import itertools

import pytest
import torch

from geopar.problems.chains import put, stops_of

HOME = 4


def chain(*trips):
    """Open trips of one fleet as a chain."""
    start = torch.full((1, 1, len(trips)), HOME)
    follow = torch.full((1, 1, HOME + 1), HOME)
    for m, trip in enumerate(trips):
        for before, task in itertools.pairwise([HOME, *trip]):
            if before == HOME:
                start[0, 0, m] = task
            else:
                follow[0, 0, before] = task
    return start, follow


def test_a_chain_is_read_in_its_order():
    stops = stops_of(*chain([1, 0], [], [3]))
    assert stops[0, 0].tolist() == [[4, 1, 0, 4], [4, 4, 4, 4], [4, 3, 4, 4]]


@pytest.mark.parametrize("spot", [0, 1, 2])
def test_a_customer_is_put_behind_any_stop(spot):
    start, follow = chain([1, 2], [3])
    stops = stops_of(start, follow)
    tasks = torch.tensor([[[0, HOME]]])
    start, follow = put(start, follow, tasks, stops[..., spot].masked_fill(tasks == HOME, HOME))
    expected = [1, 2]
    expected.insert(spot, 0)
    assert stops_of(start, follow)[0, 0].tolist() == [[4, *expected, 4], [4, 3, 4, 4, 4]]
