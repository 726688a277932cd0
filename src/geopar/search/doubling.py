"""Annealings of doubling length: a long run that is stopped early is as good as a short one.

Between its hot beginning and its cold end an annealing is no better than a far shorter one. So a
long run is annealed several times, each time for as long as all times before together, and each
but the first with less heat, so that it keeps most of what it begins with.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geopar.search.engines import Engine, Routes

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


class Doubling:
    """An engine whose run is annealed several times.

    Parameters
    ----------
    engine
        It is told fractions of an annealing instead of those of the run.
    doublings
        How often the run begins anew.
    """

    def __init__(self, engine: Engine, doublings: int) -> None:
        self._engine, self._doublings = engine, doublings

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run iterations that are this part of the whole run; the best cost in the user's units."""
        for part in annealed(self._doublings, iterations, begin, end):
            self._engine.advance(*part)
        return self._engine.advance(0, end, end)

    def best_routes(self) -> Routes:
        """The best plan so far."""
        return self._engine.best_routes()

    def best_goal(self) -> float | None:
        """What it costs without what it leaves out, where that differs."""
        return self._engine.best_goal()

    def rebase(self, routes: Routes) -> None:
        """Go on from this plan."""
        self._engine.rebase(routes)
