"""How hot, how sharp: the parameters of the search, by the size of the instance and of the run."""

from __future__ import annotations

from typing import NamedTuple

from geopar.search.day.data import DISTANCE, MAKESPAN, PRIORITY, Data


class Parameters(NamedTuple):
    """Everything that can be tuned, in one place.

    Attributes
    ----------
    mean_removed, longest_string, split, blink
        Of ruin and recreate, as in SISR (Christiaens & Vanden Berghe 2020).
    on_late
        Share of the ruins that start at a customer of the last vehicle home.
    penalty
        What one unit of priority costs that is left out.
    first_sharpness, last_sharpness
        The exponent p of the smooth makespan, at the start and the end of a run.
    first_temperature, last_temperature
        Of the cost, in typical legs; for the makespan of its logarithm.
    """

    mean_removed: float = 8.0
    longest_string: float = 10.0
    split: float = 0.3
    blink: float = 0.01
    on_late: float = 0.0
    penalty: float = 10.0
    first_sharpness: float = 50.0
    last_sharpness: float = 400.0
    first_temperature: float = 1.0
    last_temperature: float = 0.01


def parameters_for(data: Data, iterations: float) -> Parameters:
    """For a run of about so many iterations."""
    mean = float(data.stop[:, PRIORITY].mean())
    if data.goal == MAKESPAN:
        m = len(data.fleet)
        return Parameters(
            on_late=0.2,
            penalty=1000.0 * m / mean,
            first_temperature=1.0 / m,
            last_temperature=0.05 / m,
        )
    scale = 1.0 if data.goal == DISTANCE else 5.0
    return Parameters(
        penalty=100.0 * scale / mean,
        first_temperature=1.0 * scale,
        last_temperature=0.01 * scale,
    )
