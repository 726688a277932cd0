"""Open trips, and where a customer costs least in one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from geopar.problems.tensors import distance, take


def cheapest_place(places: Tensor, stops: Tensor, tasks: Tensor) -> tuple[Tensor, Tensor]:
    """How much longer a trip becomes with each customer, and behind which stop that is.

    Parameters
    ----------
    places
        ``(B, N + 1, 2)``, the depot last.
    stops
        ``(B, R, M, L)``, see :func:`stops_of`.
    tasks
        ``(B, R, M, K)``.

    Returns
    -------
    tuple of Tensor
        ``(B, R, M, K)`` each: the extra length, and the number of the stop; the first of equals.
    """
    home = places.shape[1] - 1
    there = take(places, stops)
    legs = distance(there[..., 1:, :], there[..., :-1, :])
    reach = distance(take(places, tasks)[..., None, :], there[..., None, :, :])
    extra = reach[..., 1:] + reach[..., :-1] - legs[..., None, :]
    # Behind the last depot nothing can be put.
    beyond = stops[..., :-1] == home
    beyond[..., 0] = False
    extra = extra.masked_fill(beyond[..., None, :], torch.inf)
    least = extra.amin(-1)
    return least, (extra == least[..., None]).int().argmax(-1)


def arranged(trip: Sequence[int], places: NDArray[np.floating]) -> list[int]:
    """Customers that were put into a trip one after the other, in the order of the trip.

    ``places`` is ``(N + 1, 2)``, the depot last.
    """
    home = len(places) - 1
    stops = [home, home]
    for task in trip:
        there = places[stops]
        reach = np.hypot(*(there - places[task]).T)
        extra = reach[1:] + reach[:-1] - np.hypot(*np.diff(there, axis=0).T)
        stops.insert(int(extra.argmin()) + 1, task)
    return stops[1:-1]
