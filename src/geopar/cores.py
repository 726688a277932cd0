"""How many cores a run takes when nobody says."""

from __future__ import annotations

import math
import os

from geopar.stop import Progress, StopRule


def available_cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # where the system can tell
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_threads(rule: StopRule) -> int:
    """All cores where the clock ends a run, which cannot be repeated anyway; else one.

    So a run that is to repeat, by its number of iterations, repeats on every machine.
    """
    begin = Progress(0.0, 0, math.inf, 0.0, 0)
    by_the_clock = math.isfinite(rule.seconds_left(begin))
    counts = math.isfinite(rule.iterations_left(begin))
    return available_cores() if by_the_clock and not counts else 1
