"""Annealings of doubling length: a long run that is stopped early is as good as a short one.

Between its hot beginning and its cold end an annealing is no better than a far shorter one. So a
long run is annealed several times, each time for as long as all times before together, and each
but the first with less heat, so that it keeps most of what it begins with.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

# All but the first begin where the first one is after this part of it.
AGAIN = 0.3
# Below this part of a run nobody stops it.
MOST_DOUBLINGS = 10


def annealed(
    doublings: int, iterations: int, begin: float, end: float
) -> Iterator[tuple[int, float, float]]:
    """Iterations from one fraction of a run to another, as those of its annealings.

    For each annealing how many there are, and from which fraction of it to which.
    """
    bounds = [0.0, *(0.5**i for i in range(doublings, -1, -1))]
    done = 0
    for low, high in pairwise(bounds):
        if begin >= high and high < 1.0:
            continue  # over before
        over = end > high
        then = round(iterations * (high - begin) / (end - begin)) if over else iterations
        floor = AGAIN if low else 0.0
        first, last = (
            floor + (1.0 - floor) * min(1.0, max(0.0, (at - low) / (high - low)))
            for at in (begin, end)
        )
        if then > done:
            yield then - done, first, last
        done = then
        if not over:
            return
