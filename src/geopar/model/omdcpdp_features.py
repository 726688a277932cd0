"""OMDCPDP as the paper's network sees it, task after task: PARCO's states, and ξ of Eq. 8.

Nothing here has a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from geopar.model.features import Neighbourhood, rows_of
from geopar.model.look import PlainLook
from geopar.problems.omdcpdp.environment import OMDCPDPEnvironment, OMDCPDPState


@dataclass(frozen=True, eq=False)
class OMDCPDPScene:
    """What stays the same during a rollout.

    Parameters
    ----------
    environment
        The rules.
    neighbourhood
        Which pickups and deliveries are near each task.
    """

    environment: OMDCPDPEnvironment
    neighbourhood: Neighbourhood

    @classmethod
    def of(cls, environment: OMDCPDPEnvironment) -> OMDCPDPScene:
        """Look at a batch once."""
        return cls(environment, Neighbourhood.of(environment.batch.tasks))

    def plain_look(self, state: OMDCPDPState, candidates: Tensor) -> PlainLook:
        """What the paper's network is told of ``(B, K)`` tasks."""
        listed = candidates[:, None].expand(-1, state.open.shape[1], -1)
        return PlainLook(
            candidates,
            self.environment.feasible(state, candidates),
            self.environment.has_task(state),
            self.plain_agents(state),
            self.plain_fleet(state),
            rows_of(self.tasks(state), listed),
        )

    def plain_agents(self, state: OMDCPDPState) -> Tensor:
        """PARCO's state of an agent: length so far, orders on board; padded to three."""
        return torch.stack([state.length, state.load.float(), state.load > 0], -1)

    def plain_fleet(self, state: OMDCPDPState) -> Tensor:
        """PARCO's state of the environment: the share of tasks not yet served."""
        half = self.environment.batch.num_orders
        free = state.open[..., :half].sum(-1, keepdim=True)
        aboard = state.open[..., half:].sum(-1, keepdim=True)
        return (2.0 * free + aboard) / (2.0 * half)

    def tasks(self, state: OMDCPDPState) -> Tensor:
        """ξ, ``(B, R, N + 1, 3)``: on board or not, free pickups and open deliveries near it."""
        batch = self.environment.batch
        is_open = state.open[..., :-1].float()
        pickups, deliveries = is_open.clone(), is_open.clone()
        pickups[..., batch.num_orders :] = 0.0
        deliveries[..., : batch.num_orders] = 0.0
        around = [self.neighbourhood.share_of(part) for part in (pickups, deliveries)]
        return F.pad(torch.stack([deliveries, *around], -1), (0, 0, 0, 1))
