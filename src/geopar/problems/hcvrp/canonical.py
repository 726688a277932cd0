"""One way to drive a vehicle's trips, out of many that are worth the same.

A plan does not say in which order a vehicle makes its trips, nor which way round. What learns from
plans, or follows them, needs equal situations to have equal answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from geopar.problems.base import RoutingProblem
from geopar.problems.travel import legs

Ints = NDArray[np.int64]


def canonical(problem: RoutingProblem, trips: Sequence[Ints]) -> list[Ints]:
    """The trips of one vehicle, the longest first, each from its end that is farther away."""
    depot = problem.homes[:1]
    ordered: list[tuple[float, Ints]] = []
    for trip in trips:
        way = legs(problem.travel, np.concatenate([depot, trip, depot]))
        begin, end = way[0], way[-1]
        length = begin + float(way[1:-1].sum()) + end
        ordered.append((length, trip if begin >= end else trip[::-1]))
    ordered.sort(key=lambda item: -item[0])
    return [trip for _, trip in ordered]
