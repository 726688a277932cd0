from dataclasses import dataclass

import torch

from geopar.problems.tensors import concatenate, distance, map_tensors, take


@dataclass(frozen=True)
class Pair:
    left: torch.Tensor
    right: torch.Tensor
    name: str = "pair"


def test_every_tensor_is_changed_and_nothing_else():
    doubled = map_tensors(Pair(torch.ones(2), torch.zeros(3)), lambda t: t + 1)
    assert doubled.left.tolist() == [2, 2]
    assert doubled.right.tolist() == [1, 1, 1]
    assert doubled.name == "pair"


def test_records_are_joined_field_by_field():
    joined = concatenate([Pair(torch.ones(1, 2), torch.zeros(1, 1))] * 3, dim=1)
    assert joined.left.shape == (1, 6)
    assert joined.right.shape == (1, 3)


def test_take_looks_up_each_instance_in_its_own_table():
    table = torch.arange(24).view(2, 4, 3)
    index = torch.tensor([[[0, 3], [1, 1]], [[2, 0], [3, 3]]])
    for b in range(2):
        for i in range(2):
            for j in range(2):
                row = int(index[b, i, j])
                assert torch.equal(take(table, index)[b, i, j], table[b, row])
                assert take(table[..., 0], index)[b, i, j] == table[b, row, 0]
    assert torch.equal(take(table[:1], index[:1]), take(table, index)[:1])


def test_distance_is_euclidean():
    assert distance(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]])).tolist() == [5.0]
