"""Delivering what is on board, always the nearest next: how long it takes, and what it costs.

What an order costs a vehicle is not how far away its pickup is, but how much later everything on
board arrives, its own delivery included. Nobody knows the best order of deliveries without
searching; with a few on board the nearest first is close to it.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Delivered(NamedTuple):
    """The sum of the arrivals, and when the last one is made; both ``(…)``."""

    arrivals: Tensor
    end: Tensor


def deliver_nearest(start: Tensor, time: Tensor, places: Tensor, waiting: Tensor) -> Delivered:
    """Drive to places, always to the nearest that is left.

    Parameters
    ----------
    start, time
        ``(…, 2)`` and ``(…)``: where and when it begins.
    places, waiting
        ``(…, W, 2)`` and ``(…, W)``: where something is to be delivered, and whether it is.
    """
    arrivals = torch.zeros_like(time)
    for _ in range(places.shape[-2]):
        # Squares: of equally near ones, compiled loops take the same one.
        gaps = (places - start[..., None, :]).square().sum(-1).masked_fill(~waiting, torch.inf)
        gap, nearest = gaps.min(-1, keepdim=True)
        goes = gap[..., 0] < torch.inf
        time = torch.where(goes, time + gap[..., 0].sqrt(), time)
        arrivals = torch.where(goes, arrivals + time, arrivals)
        there = places.gather(-2, nearest[..., None].expand(*nearest.shape, 2))[..., 0, :]
        start = torch.where(goes[..., None], there, start)
        waiting = waiting.scatter(-1, nearest, False)
    return Delivered(arrivals, time)
