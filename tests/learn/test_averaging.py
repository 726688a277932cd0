import torch
from torch import nn

from geopar.learn.averaging import WARM_UP, Averaged


def line(value: float) -> nn.Linear:
    layer = nn.Linear(1, 1, bias=False)
    nn.init.constant_(layer.weight, value)
    return layer


def mean_of(averaged: Averaged, layer: nn.Linear) -> float:
    with averaged.in_place():
        return float(layer.weight.detach())


def test_the_mean_is_there_within_and_gone_behind() -> None:
    layer = line(0.0)
    averaged = Averaged(layer, 0.5)
    nn.init.constant_(layer.weight, 8.0)
    averaged.add(1000)
    assert mean_of(averaged, layer) == 4.0
    assert float(layer.weight.detach()) == 8.0


def test_a_young_mean_forgets_where_it_began() -> None:
    layer = line(0.0)
    averaged = Averaged(layer, 0.99)
    nn.init.constant_(layer.weight, 1.0)
    averaged.add(1)
    assert mean_of(averaged, layer) > 1.0 - 1.5 / WARM_UP


def test_without_memory_the_weights_are_the_last_ones() -> None:
    layer = line(0.0)
    averaged = Averaged(layer, 0.0)
    nn.init.constant_(layer.weight, 8.0)
    averaged.add(1)
    assert mean_of(averaged, layer) == 8.0
    assert averaged.state() == {}


def test_a_restored_mean_goes_on_as_it_would_have() -> None:
    layer = line(0.0)
    one = Averaged(layer, 0.9)
    nn.init.constant_(layer.weight, 3.0)
    one.add(50)
    other = Averaged(line(7.0), 0.9)
    other.restore({name: tensor.clone() for name, tensor in one.state().items()})
    assert torch.equal(other.state()["weight"], one.state()["weight"])
