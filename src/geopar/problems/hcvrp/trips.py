"""Open trips, and where a customer costs least in one.

Where customers may be put anywhere into the trip that a vehicle is planning, that trip is a chain:
``start`` ``(B, R, M)`` is its first customer and ``follow`` ``(B, R, N + 1)`` says who comes after
each one. ``N`` is the depot, at both ends.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from geopar.problems.tensors import distance, take


def stops_of(start: Tensor, follow: Tensor) -> Tensor:
    """``(B, R, M, L)``: the depot, the customers of each trip in their order, depots to the end."""
    home = follow.shape[-1] - 1
    stops = [torch.full_like(start, home), start]
    while bool((stops[-1] != home).any()):
        # The depot's own place in the chain holds nothing of use.
        following = follow.gather(-1, stops[-1])
        stops.append(following.masked_fill(stops[-1] == home, home))
    return torch.stack(stops, -1)


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


def put(start: Tensor, follow: Tensor, tasks: Tensor, behind: Tensor) -> tuple[Tensor, Tensor]:
    """The chains with a customer more in each trip.

    Parameters
    ----------
    start, follow
        The chains.
    tasks
        ``(B, R, M)``: one customer for each vehicle, or N and more for none.
    behind
        ``(B, R, M)``: the stop before it, N for the depot.
    """
    home = follow.shape[-1] - 1
    is_first = behind == home
    following = torch.where(is_first, start, follow.gather(-1, behind))
    tasks = tasks.clamp(max=home)
    is_none = tasks == home
    # What does not concern a customer is written to the depot's own place.
    follow = follow.scatter(-1, tasks, following.masked_fill(is_none, home))
    follow = follow.scatter(-1, behind.masked_fill(is_none, home), tasks)
    return torch.where(is_first & ~is_none, tasks, start), follow


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
