"""Checkpoints of the form that PARCO's authors released, made small."""

from pathlib import Path
from typing import Any

import torch

WIDTH, INNER, LAYERS = 16, 32, 2
ENCODER, CONTEXT = "encoder.init_embedding", "decoder.context_embedding"


def layer(name: str, *, gated: bool) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "norm_attn.normalizer.weight": (WIDTH,), "norm_ffn.normalizer.weight": (WIDTH,),
        "attention.Wqkv.weight": (3 * WIDTH, WIDTH), "attention.Wqkv.bias": (3 * WIDTH,),
        "attention.out_proj.weight": (WIDTH, WIDTH), "attention.out_proj.bias": (WIDTH,),
    }  # fmt: skip
    if gated:
        shapes |= {f"ffn.l{i}.weight": (INNER, WIDTH) for i in (1, 2)}
        shapes |= {"ffn.l3.weight": (WIDTH, INNER)}
    else:
        shapes |= {
            "ffn.lins.0.weight": (INNER, WIDTH), "ffn.lins.0.bias": (INNER,),
            "ffn.lins.1.weight": (WIDTH, INNER), "ffn.lins.1.bias": (WIDTH,),
        }  # fmt: skip
    return {f"{name}.{part}": shape for part, shape in shapes.items()}


def released(kind: str, *, gated: bool) -> dict[str, torch.Tensor]:
    """Random tensors by the names and of the shapes of a released file."""
    shapes: dict[str, tuple[int, ...]] = {}
    if kind == "omdcpdp":
        for name, count in (("vehicle", 3), ("pick", 4), ("delivery", 4)):
            shapes[f"{ENCODER}.init_embed_{name}.weight"] = (WIDTH, count)
            shapes[f"{ENCODER}.init_embed_{name}.bias"] = (WIDTH,)
    else:
        for name, count in (
            ("init_embed_depot", 2), ("pos_embedding_proj", WIDTH), ("init_embed_agents", 4),
            ("init_embed_depot_agents", 2 * WIDTH), ("init_embed_clients", 5),
        ):  # fmt: skip
            shapes[f"{ENCODER}.{name}.weight"] = (WIDTH, count)
        shapes[f"{ENCODER}.alpha"] = (1,)
        shapes[f"{ENCODER}.pos_encoder.pe"] = (1, 50, WIDTH)
    for row in range(LAYERS):
        shapes |= layer(f"encoder.layers.{row}", gated=gated)
    shapes |= layer(f"{CONTEXT}.communication_layers.0", gated=gated)
    shapes |= {
        "encoder.norm.normalizer.weight": (WIDTH,),
        f"{CONTEXT}.norm.normalizer.weight": (WIDTH,),
        f"{CONTEXT}.proj_agent_feats.weight": (WIDTH, 3 if kind == "hcvrp" else 2),
        f"{CONTEXT}.proj_global_feats.weight": (WIDTH, 1),
        f"{CONTEXT}.project_context.weight": (WIDTH, 4 * WIDTH),
        "decoder.pointer.project_out.weight": (WIDTH, WIDTH),
        "decoder.project_node_embeddings.weight": (3 * WIDTH, WIDTH),
        "decoder.project_fixed_context.weight": (WIDTH, WIDTH),
    }
    generator = torch.Generator().manual_seed(7)
    made = {f"policy.{n}": torch.randn(s, generator=generator) / 4 for n, s in shapes.items()}
    return made | {"projection_head.0.weight": torch.ones(2, 2)}


def saved(path: Path, state: dict[str, Any]) -> Path:
    torch.save({"epoch": 99, "state_dict": state, "hyper_parameters": {"alpha": 0.2}}, path)
    return path
