import torch

from geopar.peers.blocks import Attention, BatchNorm, NormedLayer
from geopar.peers.pickup import PickupMemory, agent_features, where_they_are
from geopar.peers.pointer import GlimpsePointer, PointerKeys
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.random import generate


def test_batches_are_normalised_over_instances_and_tokens() -> None:
    x = torch.randn(4, 5, 3) * 7.0 + 2.0
    found = BatchNorm(3).train()(x)
    torch.testing.assert_close(found.mean((0, 1)), torch.zeros(3), atol=1e-5, rtol=0)
    torch.testing.assert_close(found.std((0, 1), unbiased=False), torch.ones(3), atol=1e-4, rtol=0)


@torch.no_grad()
def test_what_is_masked_is_not_looked_at() -> None:
    torch.manual_seed(0)
    attention = Attention(8, 2)
    x, seen = torch.randn(2, 3, 8), torch.randn(2, 4, 8)
    mask = torch.tensor([True, True, False, True]).expand(2, 3, 4)
    found = attention.attend(x, attention.keys(seen), mask)
    other = seen.clone()
    other[:, 2] = 100.0
    torch.testing.assert_close(attention.attend(x, attention.keys(other), mask), found)
    few = attention(x, seen[:, [0, 1, 3]])
    torch.testing.assert_close(few, found)


@torch.no_grad()
def test_a_scale_of_zero_looks_at_everything_alike() -> None:
    torch.manual_seed(0)
    attention = Attention(8, 2, bias=False)
    seen = torch.randn(1, 4, 8)
    value = attention.key_value(seen).chunk(2, -1)[1].mean(1, keepdim=True)
    found = attention(torch.randn(1, 3, 8), seen, scale=0.0)
    torch.testing.assert_close(found, attention.out(value).expand(1, 3, 8))


@torch.no_grad()
def test_a_layer_adds_and_then_normalises() -> None:
    torch.manual_seed(0)
    layer = NormedLayer(Attention(8, 2, bias=False), 8, 16).eval()
    x = torch.randn(2, 5, 8)
    first = layer.attention_norm(x + layer.attention(x, x))
    torch.testing.assert_close(
        layer(x, x), layer.feedforward_norm(first + layer.feedforward(first))
    )


@torch.no_grad()
def test_the_pointer_excludes_what_the_mask_does_and_stays_within_the_clip() -> None:
    torch.manual_seed(0)
    pointer = GlimpsePointer(8, 2, clip=2.0)
    tokens, mask = torch.randn(1, 4, 8) * 50.0, torch.tensor([[[True, False, True, True]]])
    logits = pointer(pointer.remember(tokens), torch.randn(1, 1, 8), mask)[0, 0]
    assert logits[1] == -torch.inf
    assert bool((logits[[0, 2, 3]].abs() <= 2.0).all())


def test_vehicles_of_pickups_stand_at_their_own_starts_until_they_leave() -> None:
    environment = make_environment(make_batch([generate("omdcpdp/4/2")]))
    state = environment.reset(1)
    nothing = torch.zeros(())
    here = torch.arange(6.0).view(1, 6, 1)
    memory = PickupMemory(here, PointerKeys(nothing, nothing, nothing), nothing)
    assert where_they_are(memory, state).flatten().tolist() == [4.0, 5.0]
    after = environment.step(state, torch.tensor([[[1, 5]]]))
    assert where_they_are(memory, after).flatten().tolist() == [1.0, 5.0]
    features = agent_features(after)[0, 0]
    assert features[:, 1].tolist() == [1.0, 0.0]
    assert features[0, 0] > 0.0
    assert features[1, 0] == 0.0
