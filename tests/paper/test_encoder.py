from typing import Any

import pytest
import torch

from geopar.paper.attention import window_attention
from geopar.paper.config import NetworkConfig
from geopar.paper.encoder import Encoder, GeometryBranch, Tokens
from geopar.paper.windows import build_cache
from geopar.problems.batch import HCVRPBatch, make_batch, symmetric_copies
from geopar.problems.random import generate

SMALL: dict[str, Any] = {
    "width": 16,
    "heads": 2,
    "layers": 2,
    "feedforward": 24,
    "directions": 2,
    "radius": 2,
}


def setup(kind, **changes):
    torch.manual_seed(0)
    config = NetworkConfig(kind, **(SMALL | changes))
    batch = make_batch([generate(f"{kind}/10/3", k) for k in range(2)])
    return Encoder(config), batch, build_cache(batch, config.directions, config.radius)


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
@torch.no_grad()
def test_with_the_gate_at_zero_it_is_the_base_encoder_exactly(kind):
    encoder, batch, cache = setup(kind)
    base = Encoder(NetworkConfig(kind, **SMALL, geometry=False))
    base.load_state_dict(
        {n: t for n, t in encoder.state_dict().items() if not n.startswith("branch")}
    )
    for one, other in zip(encoder(batch, cache), base(batch, None), strict=True):
        assert torch.equal(one, other)
    encoder.branch.gate.fill_(0.5)
    assert not torch.equal(encoder(batch, cache).tasks, base(batch, None).tasks)


@torch.no_grad()
def test_the_branch_is_equation_5():
    torch.manual_seed(1)
    config = NetworkConfig("hcvrp", **SMALL)
    batch = make_batch([generate("hcvrp/7/3")])
    cache = build_cache(batch, 2, 2)
    branch = GeometryBranch(config)
    torch.nn.init.normal_(branch.gate)
    tokens = Tokens(torch.randn(1, 3, 16), torch.randn(1, 7, 16))
    seen = branch.task_norm(tokens.tasks)
    query, key, value = branch.qkv(seen).chunk(3, -1)
    local = window_attention(query, key, value, cache, branch.bias)
    keys, values = branch.agent_kv(branch.agent_norm(tokens.agents)).chunk(2, -1)
    query = branch.agent_q(seen)
    for i in range(7):
        heads = []
        for h in range(2):
            part = slice(8 * h, 8 * h + 8)
            scores = torch.stack([query[0, i, part] @ keys[0, m, part] for m in range(3)]) / 8**0.5
            heads.append(sum(w * values[0, m, part] for m, w in enumerate(scores.softmax(0))))
        fused = branch.norm(branch.fuse(torch.cat([local[0, i], *heads])))
        expected = tokens.tasks[0, i] + branch.gate * fused
        torch.testing.assert_close(branch(tokens, cache)[0, i], expected)


@pytest.mark.parametrize("kind", ["hcvrp", "omdcpdp"])
@torch.no_grad()
def test_an_instance_is_encoded_the_same_alone_and_in_a_batch(kind):
    encoder, batch, cache = setup(kind)
    encoder.branch.gate.fill_(1.0)
    together = encoder(batch, cache)
    alone = batch.select([1])
    single = encoder(alone, build_cache(alone, 2, 2))
    torch.testing.assert_close(together.tasks[1:], single.tasks)
    torch.testing.assert_close(together.agents[1:], single.agents)


def test_every_parameter_learns():
    encoder, batch, cache = setup("omdcpdp")
    torch.nn.init.normal_(encoder.branch.gate)
    tokens = encoder(batch, cache)
    (tokens.tasks.square().sum() + tokens.agents.abs().sum()).backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in encoder.parameters())


@torch.no_grad()
def test_the_numbers_of_users_make_no_difference():
    encoder, _, _ = setup("hcvrp")
    problem = generate("hcvrp/10/3")
    scaled = problem.replace(
        depot=problem.depot * 1000 - 7,
        customers=problem.customers * 1000 - 7,
        demand=problem.demand * 1e3,
        capacity=problem.capacity * 1e3,
        speed=problem.speed * 60,
    )
    one, other = make_batch([problem]), make_batch([scaled])
    assert isinstance(one, HCVRPBatch)
    torch.testing.assert_close(
        encoder(one, build_cache(one, 2, 2)).tasks, encoder(other, build_cache(other, 2, 2)).tasks
    )
    assert not torch.equal(symmetric_copies(one, 2).places[1], one.places[0])
