"""Runs a solver in small pieces, so that it keeps its budget and cools by it.

The classical solvers are written for a fixed number of iterations. Under a stop rule that ends
sooner they must cool sooner: each piece is told from which fraction of the run to which it goes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from geopar.plan import Plan
from geopar.solver import Request

SECONDS_PER_PIECE = 0.04
# Nobody knows yet how fast this machine is: begin with less, then go by the clock.
FIRST_PIECE = 1 / 16

Advance = Callable[[int, float, float], tuple[int, float]]
"""``advance(count, begin, end)`` runs ``count`` iterations while the fraction of the run goes from
``begin`` to ``end``, and returns how many it ran and the best cost so far. It may run fewer only
when the budget is spent."""


def run_paced(
    advance: Advance,
    request: Request,
    most: int,
    piece: int,
    cost: float,
    plan: Callable[[], Plan],
    goal: Callable[[], float | None] = lambda: None,
) -> int:
    """Advance until the budget is spent or ``most`` iterations are done; returns how many.

    Parameters
    ----------
    request
        Whose budget is spent and whose observer is told.
    piece
        Iterations between two looks at the budget. Always the same without a time limit, so that
        a run repeats exactly; with one, as many as the clock says fit.
    cost
        Of the start, in the user's units as all costs here.
    plan
        Builds the best plan so far.
    goal
        What it costs without what it leaves out, where that differs.
    """
    budget = request.budget
    before = budget.iterations
    request.tell(before, cost, plan, goal())
    spent = budget.fraction
    timed = math.isfinite(budget.seconds_left)
    done, rate = 0, math.inf

    def fraction(count: int) -> float:
        """Of this run, after ``count`` more iterations."""
        now = budget.progress
        then = replace(now, seconds=now.seconds + count / rate, iterations=now.iterations + count)
        share = (min(1.0, budget.rule.fraction(then)) - spent) / (1.0 - spent)
        return min(1.0, max(share, (done + count) / most))

    while done < most and not budget.done:
        if not timed:
            count = piece
        elif math.isinf(rate):
            count = max(1, int(piece * FIRST_PIECE))
        else:
            count = max(1, int(rate * min(SECONDS_PER_PIECE, budget.seconds_left)))
        count = min(count, most - done)
        if count > budget.iterations_left:
            count = math.ceil(budget.iterations_left)
        began = budget.seconds
        count, cost = advance(count, fraction(0), fraction(count))
        if timed:
            rate = count / max(budget.seconds - began, 1e-6)
        done += count
        request.tell(before + done, cost, plan, goal())
    return done


def share_note(name: str, unit: str, done: int, full: int) -> str:
    """What part of the published budget was run."""
    return f"{name} ran {done:,} of the paper's {full:,} {unit}: a factor of {done / full:.3g}"
