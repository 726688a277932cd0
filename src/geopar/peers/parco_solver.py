"""PARCO as a solver: it looks at states through our compiled kernels, so it has to warm up."""

from __future__ import annotations

from collections.abc import Callable

import torch

from geopar.model.solver import warm_up as warm_up_network
from geopar.peers.parco import Parco, ParcoConfig
from geopar.peers.solver import PeerSolver
from geopar.problems.batch import make_batch
from geopar.problems.random import generate

parco = PeerSolver(learner=Parco.learner)


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile what a pass on a CPU needs: half a minute once, then kept on disk."""
    warm_up_network(kind, announce)
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        Parco(ParcoConfig(kind, width=8, heads=1, layers=0)).rollout(  # type: ignore[arg-type]
            make_batch([generate(f"{kind}/2/1")])
        )
