"""PARCO's released checkpoints as weights of ours: tensors by other names, and nothing trained.

Which of our tensors each of theirs becomes, for a transformer layer, the encoder and the decoder.
Theirs begin with ``policy.``. What only their training uses is left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from geopar.errors import Faults, refuse
from geopar.neural.checkpoints import read_checkpoint
from geopar.peers.parco import Parco, ParcoConfig
from geopar.problems.kinds import Kind

ENCODER, CONTEXT = "encoder.init_embedding", "decoder.context_embedding"
# Used in their training alone, or not at all; and a table of sinusoids, which is worked out here.
UNUSED = ("projection_head.", "decoder.project_fixed_context.", f"{ENCODER}.pos_encoder.")
# The published capacity of a vehicle of OMDCPDP, which they enter as it is and we as one.
ORDERS = 3.0
LAYER = {
    "attention_norm.weight": "norm_attn.normalizer.weight",
    "attention.qkv.weight": "attention.Wqkv.weight",
    "attention.qkv.bias": "attention.Wqkv.bias",
    "attention.out.weight": "attention.out_proj.weight",
    "attention.out.bias": "attention.out_proj.bias",
    "feedforward_norm.weight": "norm_ffn.normalizer.weight",
}
PLAIN = {
    "feedforward.0.weight": "ffn.lins.0.weight",
    "feedforward.0.bias": "ffn.lins.0.bias",
    "feedforward.2.weight": "ffn.lins.1.weight",
    "feedforward.2.bias": "ffn.lins.1.bias",
}
GATED = {
    "feedforward.gate.weight": "ffn.l1.weight",
    "feedforward.up.weight": "ffn.l2.weight",
    "feedforward.down.weight": "ffn.l3.weight",
}


def import_parco(path: Path) -> Parco:
    """PARCO with the weights of a released checkpoint.

    Raises
    ------
    geopar.errors.InputError
        When the file is no checkpoint, damaged, or of another network; all that does not fit is
        told.
    """
    tensors = {
        name.removeprefix("policy."): tensor for name, tensor in read_checkpoint(path).items()
    }
    tensors = {n: t.float() for n, t in tensors.items() if not n.startswith(UNUSED)}
    config = _config(path, tensors)
    faults, theirs = Faults(), _Theirs(path, tensors)
    made = _converted(config, theirs)
    theirs.told(faults)
    peer = Parco(config)
    own = peer.state_dict()
    for name in sorted(made):
        if made[name].shape != own[name].shape:
            shapes = f"{tuple(made[name].shape)}, not {tuple(own[name].shape)}"
            faults.add("wrong-shape", path.name, name, f"has the shape {shapes}.")
        elif not bool(torch.isfinite(made[name]).all()):
            faults.add("not-finite", path.name, name, "holds numbers that are not finite.")
    faults.raise_if_any()
    # What we have and they do not changes nothing.
    for name in ("glimpse_query.bias", "glimpse_out.bias", "query_agent.bias", "dynamic.weight"):
        made[f"network.decoder.{name}"] = torch.zeros_like(own[f"network.decoder.{name}"])
    made["network.decoder.glimpse_query.weight"] = torch.eye(config.width)
    peer.load_state_dict(made)
    return peer.eval()


class _Theirs:
    """Tensors of a checkpoint, each taken once; remembers what was missing."""

    def __init__(self, path: Path, tensors: dict[str, Tensor]) -> None:
        self.path, self.left, self.missing = path, dict(tensors), set[str]()

    def __contains__(self, name: str) -> bool:
        return name in self.left

    def take(self, name: str, *shape: int) -> Tensor:
        """A tensor, of some shape where it is missing."""
        if name in self.left:
            return self.left.pop(name)
        self.missing.add(name)
        return torch.zeros(shape or (1,))

    def told(self, faults: Faults) -> None:
        """Note what was missing and what nobody took."""
        for name in sorted(self.missing):
            faults.add("missing-tensor", self.path.name, name, "is missing.", "Maybe another file.")
        for name in sorted(self.left):
            message = "has no place in our network."
            faults.add("unknown-tensor", self.path.name, name, message)
        faults.raise_if_any()


def _config(path: Path, tensors: dict[str, Tensor]) -> ParcoConfig:
    """The settings that the names and shapes of tensors tell."""
    kinds: dict[str, Kind] = {"init_embed_pick": "omdcpdp", "init_embed_clients": "hcvrp"}
    kind = next((k for n, k in kinds.items() if f"{ENCODER}.{n}.weight" in tensors), None)
    width = tensors.get("decoder.project_node_embeddings.weight")
    if kind is None or width is None or width.dim() != 2:
        message = "is no checkpoint of PARCO for HCVRP or OMDCPDP."
        refuse("other-network", "file", path.name, message)
    gated = "encoder.layers.0.ffn.l1.weight" in tensors
    inner = tensors.get(f"encoder.layers.0.ffn.{'l1' if gated else 'lins.0'}.weight")
    changes: dict[str, Any] = {
        "width": width.shape[1],
        "layers": _count(tensors, "encoder.layers."),
        "communication": _count(tensors, f"{CONTEXT}.communication_layers."),
        "feedforward": 4 * width.shape[1] if inner is None else inner.shape[0],
        "gated": gated,
    }
    if kind == "hcvrp":
        polar = tensors[f"{ENCODER}.init_embed_clients.weight"].shape[-1] == 5
        changes |= {"sinusoid": True, "angle": polar, "absolute": True}
    return ParcoConfig(kind, **changes)


def _count(tensors: dict[str, Tensor], prefix: str) -> int:
    return len({n[len(prefix) :].partition(".")[0] for n in tensors if n.startswith(prefix)})


def _converted(config: ParcoConfig, theirs: _Theirs) -> dict[str, Tensor]:
    """Our tensors by name, but for those that they have not."""
    tokens = _orders if config.kind == "omdcpdp" else _customers
    made = {f"encoder.{name}": tensor for name, tensor in tokens(theirs, config.width).items()}
    for row in range(config.layers):
        made |= _layer(theirs, f"encoder.layers.{row}", f"encoder.layers.{row}", config.gated)
    for row in range(config.communication):
        their = f"{CONTEXT}.communication_layers.{row}"
        made |= _layer(theirs, f"decoder.talk.{row}", their, config.gated)
    made["encoder.norm.weight"] = theirs.take("encoder.norm.normalizer.weight")
    made |= {f"decoder.{name}": tensor for name, tensor in _decoder(theirs, config).items()}
    return {f"network.{name}": tensor for name, tensor in made.items()}


def _layer(theirs: _Theirs, own: str, their: str, gated: bool) -> dict[str, Tensor]:
    names = LAYER | (GATED if gated else PLAIN)
    return {f"{own}.{ours}": theirs.take(f"{their}.{name}") for ours, name in names.items()}


def _orders(theirs: _Theirs, width: int) -> dict[str, Tensor]:
    """Tokens of OMDCPDP."""
    vehicle = theirs.take(f"{ENCODER}.init_embed_vehicle.weight", width, 3).clone()
    vehicle[..., -1] *= ORDERS
    made = {
        "agent_embedding.weight": vehicle,
        "agent_embedding.bias": theirs.take(f"{ENCODER}.init_embed_vehicle.bias"),
    }
    for row, name in enumerate(("pick", "delivery")):
        for part in ("weight", "bias"):
            their = f"{ENCODER}.init_embed_{name}.{part}"
            made[f"task_embedding.{row}.{part}"] = theirs.take(their)
    return made


def _customers(theirs: _Theirs, width: int) -> dict[str, Tensor]:
    """Tokens of HCVRP."""
    names = {
        "agent_embedding.depot.weight": "init_embed_depot.weight",
        "agent_embedding.index.weight": "pos_embedding_proj.weight",
        "agent_embedding.index_weight": "alpha",
        "agent_embedding.own.weight": "init_embed_agents.weight",
        "agent_embedding.merge.weight": "init_embed_depot_agents.weight",
        "task_embedding.0.weight": "init_embed_clients.weight",
    }
    made = {ours: theirs.take(f"{ENCODER}.{name}") for ours, name in names.items()}
    return made | {"task_embedding.0.bias": torch.zeros(width)}


def _decoder(theirs: _Theirs, config: ParcoConfig) -> dict[str, Tensor]:
    """Their query is one map of four parts, two of which are maps of features themselves."""
    width = config.width
    context = theirs.take(f"{CONTEXT}.project_context.weight", width, 4 * width)
    agent = theirs.take(f"{CONTEXT}.proj_agent_feats.weight", width, 3)
    fleet = theirs.take(f"{CONTEXT}.proj_global_feats.weight", width, 1)
    here, own, of_agent, of_fleet = context.chunk(4, -1)
    # Of OMDCPDP we also tell whether anything is on board: without weight.
    agent = torch.nn.functional.pad(of_agent @ agent, (0, 3 - agent.shape[-1]))
    return {
        "query_here.weight": here,
        "query_self.weight": own,
        "query_agent.weight": agent,
        "query_fleet.weight": of_fleet @ fleet,
        "talk_norm.weight": theirs.take(f"{CONTEXT}.norm.normalizer.weight"),
        "keys.weight": theirs.take("decoder.project_node_embeddings.weight"),
        "glimpse_out.weight": theirs.take("decoder.pointer.project_out.weight"),
    }
