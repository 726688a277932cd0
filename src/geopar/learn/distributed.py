"""Processes that train together, on one machine or several, through Lightning Fabric.

Each draws its own instances; after every update's backward pass the gradients are averaged, so
all keep the same weights.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import nn

from geopar.errors import Faults, MissingExtraError


class Alone:
    """One process that trains by itself, with nobody to agree with."""

    rank, size = 0, 1

    def average(self, policy: nn.Module) -> None:
        """Leave the gradients as they are."""

    def agree(self, value: bool) -> bool:
        """Nobody else to ask."""
        return value


class FabricProcesses:
    """Several processes in Lightning's distributed strategy, with gloo.

    Made in one process, it starts the others of its machine by running the same command again.
    """

    def __init__(self, processes: int, nodes: int = 1) -> None:
        try:
            from lightning.fabric import Fabric
            from lightning.fabric.strategies import DDPStrategy  # type: ignore[attr-defined]
        except ImportError as error:
            raise MissingExtraError("Training in several processes", "train") from error

        self._fabric: Any = Fabric(
            accelerator="cpu",
            devices=processes,
            num_nodes=nodes,
            strategy=DDPStrategy(process_group_backend="gloo"),
        )
        self._fabric.launch()
        self.rank: int = self._fabric.global_rank
        self.size: int = self._fabric.world_size

    def average(self, policy: nn.Module) -> None:
        """One message for all gradients; who has none sends zeros."""
        parameters = [p for p in policy.parameters() if p.requires_grad]
        flat = torch.cat(
            [(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in parameters]
        )
        mean = self._fabric.all_reduce(flat, reduce_op="mean")
        for p, part in zip(parameters, mean.split([p.numel() for p in parameters]), strict=True):
            p.grad = part.view_as(p)

    def agree(self, value: bool) -> bool:
        """The first process's word."""
        return bool(self._fabric.broadcast(value, src=0))


Processes = Alone | FabricProcesses


def start_processes(
    processes: int = 1, nodes: int = 1, node: int = 0, address: str = "127.0.0.1", port: int = 0
) -> Processes:
    """The processes of a run: this one alone, or as many as asked for.

    Parameters
    ----------
    processes
        On each machine.
    nodes, node
        How many machines, and which of them this is; 0 is the main one.
    address, port
        Of the main machine; needed with several.
    """
    faults = Faults()
    if processes < 1:
        faults.add("out-of-range", "processes", processes, "must be 1 or more.")
    if nodes < 1:
        faults.add("out-of-range", "nodes", nodes, "must be 1 or more.")
    elif not 0 <= node < nodes:
        faults.add("out-of-range", "node", node, f"must be from 0 to {nodes - 1}.")
    if nodes > 1 and not port:
        faults.add(
            "missing-setting", "port", ..., "is needed with several machines.", "Maybe 29500."
        )
    faults.raise_if_any()
    if processes * nodes == 1:
        return Alone()
    if nodes > 1:
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = address, str(port)
        os.environ["NODE_RANK"] = str(node)
    return FabricProcesses(processes, nodes)
