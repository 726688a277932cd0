import pytest
import torch

from geopar.pointer import neighbourhood as module
from geopar.pointer.neighbourhood import Neighbourhood, neighbours


@pytest.fixture(params=["dense", "tree"])
def either_way(request, monkeypatch):
    if request.param == "tree":
        monkeypatch.setattr(module, "MOST_DENSE_PAIRS", 0)


def test_neighbours_by_hand(either_way):
    tasks = torch.tensor([[[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [7.0, 0.0]]])
    gap, index = neighbours(tasks, 2)
    assert index.tolist() == [[[1, 2], [0, 2], [3, 1], [2, 1]]]
    torch.testing.assert_close(
        gap, torch.tensor([[[1.0, 5.0], [1.0, 4.0], [2.0, 4.0], [2.0, 6.0]]])
    )


def test_a_task_is_not_its_own_neighbour_even_among_equals(either_way):
    tasks = torch.tensor([[[0.5, 0.5]] * 4 + [[0.0, 0.0]]])
    _, index = neighbours(tasks, 3)
    for i in range(5):
        assert i not in index[0, i].tolist()
        assert len(set(index[0, i].tolist())) == 3


def test_there_are_never_more_neighbours_than_others():
    assert neighbours(torch.rand(2, 3, 2), 8)[1].shape == (2, 3, 2)


def test_spacing_is_the_mean_distance_between_neighbours():
    line = torch.tensor([[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]])
    assert float(Neighbourhood.of(line).spacing) == pytest.approx((1 + 2 + 1 + 1 + 1 + 2) / 6)
    assert float(Neighbourhood.of(torch.zeros(1, 1, 2)).spacing) == 1.0
