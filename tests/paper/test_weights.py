import torch

from geopar.paper.config import NetworkConfig
from geopar.paper.weights import load_policy, random_policy


def test_random_weights_must_be_asked_for_and_are_the_same_every_time():
    one, other = load_policy("hcvrp", "random"), random_policy(NetworkConfig("hcvrp"))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_torch_is_left_as_it_was():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    random_policy(NetworkConfig("omdcpdp", layers=1))
    assert torch.equal(torch.rand(1), expected)
