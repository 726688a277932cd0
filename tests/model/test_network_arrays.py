import dataclasses

import numpy as np
import pytest
import torch

from geopar.model.configuration import local_config
from geopar.model.network_arrays import (
    Layout,
    Parts,
    add_to_grad,
    backwards_of,
    network_of,
    zero_gradient,
)
from geopar.model.policy import Policy


def plain(panels):
    """The inverse of panels."""
    return np.concatenate(list(panels), 1)


def test_features_are_spread_and_gathered():
    parts = Parts((3, 5))
    weight = torch.arange(16.0).view(8, 2)
    spread = parts.spread(weight)
    assert parts.size == len(spread) == 12
    assert spread[3].tolist() == [0.0, 0.0]
    assert spread[4:9].tolist() == weight[3:].tolist()
    assert parts.gather(spread).tolist() == weight.tolist()


def test_a_network_is_filled_up_with_zeros():
    config = dataclasses.replace(local_config("hcvrp"), pair_width=12)
    pointer = Policy(config).edge_pointer
    network, layout = network_of(pointer, config), Layout.of(config)
    assert layout.width == 16
    inner = plain(network.inner)
    np.testing.assert_array_equal(inner[:12, :12], pointer.inner.weight.detach().numpy().T)
    assert not inner[12:].any()
    assert not inner[:, 12:].any()
    back = backwards_of(pointer, config)
    np.testing.assert_allclose(back.inner, inner.T * network.out[:, None])
    np.testing.assert_array_equal(plain(back.state), plain(network.state).T)


def test_gradients_find_their_weights():
    config = dataclasses.replace(local_config("hcvrp"), pair_width=12)
    pointer = Policy(config).edge_pointer
    found = zero_gradient(config, np.float64)
    found.state[2, 5] = 3.0
    found.inner[7, 1] = 2.0
    for _ in range(2):
        add_to_grad(pointer, config, found)
    assert pointer.agent_out.weight.grad[5, 2] == 6.0
    assert pointer.agent_out.weight.grad.count_nonzero() == 1
    torch.testing.assert_close(pointer.inner.weight.grad[7, 1], 4.0 * pointer.out.weight[0, 7])
    torch.testing.assert_close(pointer.out.weight.grad[0, 7], 4.0 * pointer.inner.weight[7, 1])


@pytest.mark.parametrize("foreach", [False, True])
def test_a_network_is_made_again_only_when_it_has_learned(foreach):
    config = dataclasses.replace(local_config("hcvrp"), pair_width=12)
    pointer = Policy(config).edge_pointer
    optimiser = torch.optim.Adam(pointer.parameters(), foreach=foreach)
    before = network_of(pointer, config)
    assert network_of(pointer, config) is before
    for weight in pointer.parameters():
        weight.grad = torch.ones_like(weight)
    optimiser.step()
    after = network_of(pointer, config)
    np.testing.assert_array_equal(
        plain(after.inner)[:12, :12], pointer.inner.weight.detach().numpy().T
    )
    assert (plain(after.inner) != plain(before.inner)).any()
