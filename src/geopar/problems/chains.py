"""Plans that can still change anywhere, as chains.

``start`` ``(B, R, M)`` is the first stop of each vehicle and ``follow`` ``(B, R, N + 1)`` says who
comes after each task. ``N`` is at both ends: the depot, or where a vehicle starts.
"""

from __future__ import annotations

import torch
from torch import Tensor


def stops_of(start: Tensor, follow: Tensor) -> Tensor:
    """``(B, R, M, L)``: N, the stops of each vehicle in their order, N to the end."""
    home = follow.shape[-1] - 1
    stops = [torch.full_like(start, home), start]
    while bool((stops[-1] != home).any()):
        # The place of N itself in the chain holds nothing of use.
        following = follow.gather(-1, stops[-1])
        stops.append(following.masked_fill(stops[-1] == home, home))
    return torch.stack(stops, -1)


def put(start: Tensor, follow: Tensor, tasks: Tensor, behind: Tensor) -> tuple[Tensor, Tensor]:
    """The chains with a stop more for each vehicle.

    Parameters
    ----------
    start, follow
        The chains.
    tasks
        ``(B, R, M)``: one task for each vehicle, or N and more for none.
    behind
        ``(B, R, M)``: the stop before it, N for the beginning.
    """
    home = follow.shape[-1] - 1
    is_first = behind == home
    following = torch.where(is_first, start, follow.gather(-1, behind))
    tasks = tasks.clamp(max=home)
    is_none = tasks == home
    # What does not concern a task is written to the place of N itself.
    follow = follow.scatter(-1, tasks, following.masked_fill(is_none, home))
    follow = follow.scatter(-1, behind.masked_fill(is_none, home), tasks)
    return torch.where(is_first & ~is_none, tasks, start), follow
