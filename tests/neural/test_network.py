import torch

from geopar.paper.config import NetworkConfig
from geopar.paper.policy import Policy


def test_random_weights_must_be_asked_for_and_are_the_same_every_time():
    one, other = Policy.load("hcvrp", "random"), Policy.untrained(NetworkConfig("hcvrp"))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_torch_is_left_as_it_was():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    Policy.untrained(NetworkConfig("omdcpdp", layers=1))
    assert torch.equal(torch.rand(1), expected)
