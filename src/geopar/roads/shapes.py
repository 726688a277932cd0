"""The ways that plans take on roads, for maps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from geopar.plan import Plan, ways
from geopar.problems import Problem
from geopar.roads.engine import RoadEngine
from geopar.roads.matrices import ONLY_PROFILE

MOST_PLACES = 50

Shapes = dict[tuple[str, int], list[list[float]]]


def route_shapes(
    problem: Problem,
    plan: Plan,
    engine: RoadEngine,
    *,
    profiles: Mapping[str, str] | None = None,
) -> Shapes:
    """The line of every trip, by vehicle and number of the trip from 1.

    Raises
    ------
    geopar.errors.InputError
        When the engine does not answer.
    """
    day, places = problem.day, problem.places
    own = day.profile if day is not None else None
    found: Shapes = {}
    for v, trips in enumerate(plan.known_indices(problem)):
        profile = own[v] if own is not None else ONLY_PROFILE
        name = (profiles or {}).get(profile, profile)
        for number, way in enumerate(ways(problem, v, trips), 1):
            line: list[list[float]] = []
            stops = places[way]
            # Each request begins where the one before it ended.
            for at in range(0, len(stops) - 1, MOST_PLACES - 1):
                line += engine.shape(name, np.asarray(stops[at : at + MOST_PLACES]))
            found[problem.vehicle_ids[v], number] = line
    return found
