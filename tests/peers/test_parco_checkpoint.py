"""Checkpoints of the form that PARCO's authors released, made small."""

from pathlib import Path

import pytest
import torch

from geopar.errors import InputError
from geopar.neural.cards import save_weights
from geopar.peers.parco import Parco
from geopar.peers.parco_checkpoint import import_parco
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from parco_files import CONTEXT, ENCODER, INNER, LAYERS, WIDTH, released, saved


@pytest.mark.parametrize(("kind", "gated"), [("omdcpdp", False), ("omdcpdp", True),
                                             ("hcvrp", True), ("hcvrp", False)])  # fmt: skip
def test_a_released_file_becomes_weights_that_plan(tmp_path: Path, kind: str, gated: bool) -> None:
    peer = import_parco(saved(tmp_path / "a.ckpt", released(kind, gated=gated)))
    config = peer.config
    assert (config.kind, config.width, config.layers, config.feedforward) == (
        kind, WIDTH, LAYERS, INNER,
    )  # fmt: skip
    assert (config.gated, config.sinusoid, config.angle) == (
        gated,
        kind == "hcvrp",
        kind == "hcvrp",
    )
    problem = generate(f"{kind}/12/3")
    with torch.inference_mode():
        cost = peer.rollout(make_batch([problem])).cost
    assert bool(torch.isfinite(cost).all())
    path = tmp_path / f"{kind}-public.safetensors"
    save_weights(path, peer)
    again = Parco.load(kind, str(path))
    with torch.inference_mode():
        assert torch.equal(again.rollout(make_batch([problem])).cost, cost)


def test_the_query_is_their_map_of_four_parts(tmp_path: Path) -> None:
    """Theirs: one map of place, own start, features through a map of their own."""
    state = released("omdcpdp", gated=False)
    decoder = import_parco(saved(tmp_path / "a.ckpt", state)).network.decoder
    context = state[f"policy.{CONTEXT}.project_context.weight"]
    agent, fleet = (state[f"policy.{CONTEXT}.proj_{n}_feats.weight"] for n in ("agent", "global"))
    here, own = torch.randn(2, WIDTH)
    features, share = torch.randn(2), torch.randn(1)
    theirs = context @ torch.cat([here, own, agent @ features, fleet @ share])
    ours = decoder.query_here(here) + decoder.query_self(own)
    ours = ours + decoder.query_agent(torch.cat([features, torch.ones(1)]))
    ours = ours + decoder.query_fleet(share)
    assert torch.allclose(theirs, ours, atol=1e-5)


def test_a_vehicle_with_room_for_three_has_the_same_token(tmp_path: Path) -> None:
    state = released("omdcpdp", gated=False)
    embedding = import_parco(saved(tmp_path / "a.ckpt", state)).network.encoder.agent_embedding
    weight = state[f"policy.{ENCODER}.init_embed_vehicle.weight"]
    bias = state[f"policy.{ENCODER}.init_embed_vehicle.bias"]
    theirs = weight @ torch.tensor([0.2, 0.7, 3.0]) + bias
    assert torch.allclose(embedding(torch.tensor([0.2, 0.7, 1.0])), theirs, atol=1e-6)


def without(name: str) -> dict[str, torch.Tensor]:
    state = released("omdcpdp", gated=False)
    del state[f"policy.{name}"]
    return state


def changed(name: str, tensor: torch.Tensor) -> dict[str, torch.Tensor]:
    return released("omdcpdp", gated=False) | {f"policy.{name}": tensor}


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (without("encoder.norm.normalizer.weight"), "missing-tensor"),
        (without(f"{CONTEXT}.project_context.weight"), "missing-tensor"),
        (without(f"{ENCODER}.init_embed_pick.weight"), "other-network"),
        (changed("encoder.extra.weight", torch.ones(2)), "unknown-tensor"),
        (changed("decoder.pointer.project_out.weight", torch.ones(3, 3)), "wrong-shape"),
        (changed("encoder.norm.normalizer.weight", torch.full((WIDTH,), torch.nan)), "not-finite"),
        ({"linear.weight": torch.ones(2, 2)}, "other-network"),
    ],
)
def test_files_of_other_networks_are_refused(tmp_path: Path, state, code: str) -> None:
    with pytest.raises(InputError) as caught:
        import_parco(saved(tmp_path / "a.ckpt", state))
    assert caught.value.faults[0].code == code
