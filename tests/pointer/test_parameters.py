import numpy as np
import pytest
import torch

from geopar.pointer.parameters import (
    Layout,
    Parts,
    add_to_grad,
    forward_weights,
    transposed_weights,
    zero_gradient,
)
from midway import network_for


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
    network = network_for("hcvrp", width=12)
    weights, layout = forward_weights(network), Layout.of(network.config)
    assert layout.width == 16
    inner = plain(weights.inner)
    np.testing.assert_array_equal(inner[:12, :12], network.inner.weight.detach().numpy().T)
    assert not inner[12:].any()
    assert not inner[:, 12:].any()
    back = transposed_weights(network)
    np.testing.assert_allclose(back.inner, inner.T * weights.out[:, None])
    np.testing.assert_array_equal(plain(back.agent_out), plain(weights.agent_out).T)


def test_gradients_find_their_weights():
    network = network_for("hcvrp", width=12)
    found = zero_gradient(network.config, np.float64)
    found.agent_out[2, 5] = 3.0
    found.inner[7, 1] = 2.0
    for _ in range(2):
        add_to_grad(network, found)
    assert network.agent_out.weight.grad[5, 2] == 6.0
    assert network.agent_out.weight.grad.count_nonzero() == 1
    torch.testing.assert_close(network.inner.weight.grad[7, 1], 4.0 * network.out.weight[0, 7])
    torch.testing.assert_close(network.out.weight.grad[0, 7], 4.0 * network.inner.weight[7, 1])


@pytest.mark.parametrize("foreach", [False, True])
def test_a_network_is_made_again_only_when_it_has_learned(foreach):
    network = network_for("hcvrp", width=12)
    optimiser = torch.optim.Adam(network.parameters(), foreach=foreach)
    before = forward_weights(network)
    assert forward_weights(network) is before
    for weight in network.parameters():
        weight.grad = torch.ones_like(weight)
    optimiser.step()
    after = forward_weights(network)
    np.testing.assert_array_equal(
        plain(after.inner)[:12, :12], network.inner.weight.detach().numpy().T
    )
    assert (plain(after.inner) != plain(before.inner)).any()
