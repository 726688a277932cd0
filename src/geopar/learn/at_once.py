"""Agents that draw all at once, as PARCO's do (Berto et al. 2025); conflicts are settled then.

In the paper's assignment agents draw in turn, each from what earlier ones left (Eq. 12), so that no
two ever want the same. This is what it is compared with.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from geopar.neural.conflicts import settle
from geopar.paper.assignment import Proposals
from geopar.paper.config import AssignmentConfig


class DrawnAtOnce(NamedTuple):
    """What everybody drew, what comes of it, and turns as ``log_prob`` wants them, all alike.

    Whoever loses a conflict has drawn all the same: it is draws that have probabilities.
    """

    drawn: Tensor
    action: Tensor
    order: Tensor


def sample_at_once(
    config: AssignmentConfig,
    proposals: Proposals,
    num_tasks: int,
    generator: torch.Generator | None = None,
) -> DrawnAtOnce:
    """All draw from everything that they may do; the surest of a conflict goes, the others stay.

    Parameters
    ----------
    config
        Temperature and exploration.
    proposals
        What everybody chooses from.
    num_tasks
        N.
    generator
        Of the draws.
    """
    score, task = proposals
    options = {"generator": generator, "device": score.device}
    explores = torch.rand(score.shape[:3], **options)[..., None] < config.exploration  # type: ignore[arg-type]
    scaled = torch.where(explores, 0.0, score / config.temperature)
    scaled = scaled.masked_fill(score == -torch.inf, -torch.inf)
    # The largest of log-weights plus Gumbel noise is a draw from them.
    gumbel = -torch.empty_like(score).exponential_(generator=generator).log()
    best, column = (scaled + gumbel).max(-1, keepdim=True)
    finds = best[..., 0] > -torch.inf
    drawn = torch.where(finds, task.gather(-1, column)[..., 0], num_tasks + 1)
    sureness = score.gather(-1, column) - score.logsumexp(-1, keepdim=True)
    priority = torch.where(finds, sureness[..., 0], -torch.inf)
    # Staying takes nothing from anybody, as going home does not.
    action = settle(drawn.clamp(max=num_tasks), priority, num_tasks)
    action = torch.where(finds, action, num_tasks + 1)
    return DrawnAtOnce(drawn, action, torch.zeros_like(drawn))
