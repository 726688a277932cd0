import math

import pytest
import torch

from geopar.model.geometry import build_cache
from geopar.model.layers import (
    EdgeBias,
    RMSNorm,
    TransformerLayer,
    edge_descriptor,
    window_attention,
)
from geopar.problems.batch import make_batch
from geopar.problems.random import generate


def windowed_by_loops(q, k, v, cache, bias, heads):
    """Eq. 4 slot by slot: one softmax over all slots of a task, repeats included."""
    size, tasks, width = q.shape
    result = torch.zeros(size, tasks, width)
    for b in range(size):
        for i in range(tasks):
            scores, values = [], []
            for slot in range(cache.index.shape[-1]):
                if not cache.valid[b, i, slot]:
                    continue
                j, band = int(cache.index[b, i, slot]), 2 * cache.radius + 1
                source, column = (slot - 1) // band + 1, (slot - 1) % band
                offset = 0 if slot == 0 else abs(column - cache.radius)
                move = cache.tasks[b, j] - cache.tasks[b, i]
                gap = math.hypot(*move.tolist())
                here, there = cache.depot_distance[b, i], cache.depot_distance[b, j]
                psi = torch.tensor(
                    [*move, gap, here, there, here + there - gap, gap / cache.mean_distance[b]]
                )
                a = (q[b, i] * k[b, j]).view(heads, -1).sum(-1) / math.sqrt(width // heads)
                b_psi = bias.edge_bias(bias.edge(psi))
                b_rho = bias.rank_bias * offset / cache.radius
                scores.append(a + b_psi + bias.source_bias[source] + b_rho)
                values.append(v[b, j].view(heads, -1))
            weight = torch.stack(scores).softmax(0)
            result[b, i] = (weight[..., None] * torch.stack(values)).sum(0).flatten()
    return result


def awake(bias: EdgeBias) -> EdgeBias:
    """With biases that are not zero, as after training."""
    torch.nn.init.normal_(bias.source_bias)
    torch.nn.init.normal_(bias.rank_bias)
    return bias


@pytest.mark.parametrize("tasks", [1, 3, 20, 40])
@pytest.mark.parametrize("most", [None, 6])
@torch.no_grad()
def test_window_attention_is_equation_4(tasks, most):
    torch.manual_seed(0)
    batch = make_batch([generate(f"hcvrp/{tasks}/1", s) for s in range(2)])
    cache = build_cache(batch, 2, 3, auxiliary=True, most=most)
    bias = awake(EdgeBias(4, heads=2, inner=5))
    q, k, v = torch.randn(3, 2, tasks, 8)
    expected = windowed_by_loops(q, k, v, cache, bias, 2)
    torch.testing.assert_close(window_attention(q, k, v, cache, bias), expected)


def test_gradients_reach_every_bias():
    batch = make_batch([generate("omdcpdp/12/1")])
    bias = awake(EdgeBias(5, heads=2, inner=4))
    q, k, v = torch.randn(3, 1, 12, 8)
    window_attention(q, k, v, build_cache(batch, 4, 2), bias).square().sum().backward()
    for parameter in bias.parameters():
        assert parameter.grad is not None
        assert bool(parameter.grad.abs().sum() > 0)


def test_the_edge_descriptor_has_no_more_than_the_band():
    cache = build_cache(make_batch([generate("hcvrp/5/1")]), 2, 2)
    assert edge_descriptor(cache, 1).shape == (1, 5, 5, EdgeBias.FEATURES)


def test_the_norm_is_that_of_torch():
    own, theirs = RMSNorm(8), torch.nn.RMSNorm(8)
    torch.nn.init.normal_(own.weight)
    theirs.load_state_dict(own.state_dict())
    x = torch.randn(3, 8)
    torch.testing.assert_close(own(x), theirs(x))
    assert torch.equal(own(torch.zeros(2, 8)), torch.zeros(2, 8))


@torch.no_grad()
def test_a_masked_token_is_not_heard():
    torch.manual_seed(0)
    layer = TransformerLayer(8, 2, 16)
    x, mask = torch.randn(1, 4, 8), torch.tensor([[True, True, True, False]])
    alone = layer(x[:, :3], mask[:, :3])
    torch.testing.assert_close(layer(x, mask)[:, :3], alone)
