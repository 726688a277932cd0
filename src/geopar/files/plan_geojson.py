"""Plans as GeoJSON (RFC 7946): a line per trip, a point per stop.

Longitude and latitude are WGS 84, as the standard wants. A plane has no place on the earth: its
x and y are written as they are, and the member ``coordinateSystem`` says so.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from geopar.files.known_ids import check_ids_known
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.tasks import Stop, Task
from geopar.problems.validation import Floats

Place = list[float]


def plan_to_geojson(plan: Plan, problem: Problem) -> dict[str, Any]:
    """The plan as a FeatureCollection.

    Raises
    ------
    geopar.errors.InputError
        For ids that the problem does not have.
    """
    check_ids_known(plan, problem)
    places, lonlat = problem.places.tolist(), problem.coordinates == "lonlat"
    place_of: dict[Task, Place] = dict(zip(problem.task_ids, places, strict=False))
    home_of = {
        vehicle: places[home]
        for vehicle, home in zip(problem.vehicle_ids, problem.homes.tolist(), strict=True)
    }
    if problem.comes_home:
        features = [_point(places[-1], {"kind": "depot"})]
    else:
        features = [
            _point(home, {"kind": "start", "vehicle": vehicle}) for vehicle, home in home_of.items()
        ]
    for route in plan.routes:
        home = home_of[route.vehicle]
        end = [home] if problem.comes_home else []
        for number, trip in enumerate((trip for trip in route.trips if trip), 1):
            line = [home, *(place_of[task] for task in trip), *end]
            about = {"kind": "trip", "vehicle": route.vehicle, "trip": number, "stops": len(trip)}
            features.append(_feature(_line(line, lonlat), about))
            for position, task in enumerate(trip, 1):
                about = {"vehicle": route.vehicle, "trip": number, "position": position}
                features.append(_point(place_of[task], _task(task) | about))
    top: dict[str, Any] = {"type": "FeatureCollection", "problem": plan.kind}
    if plan.objective is not None:
        top["objective"] = plan.objective
    top["coordinateSystem"] = "WGS 84" if lonlat else "plane x, y"
    top["features"] = features
    return top


def _task(task: Task) -> dict[str, Any]:
    if isinstance(task, Stop):
        return {"kind": task.action, "order": task.order}
    return {"kind": "customer", "customer": task}


def _feature(geometry: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _point(place: Place, properties: dict[str, Any]) -> dict[str, Any]:
    return _feature({"type": "Point", "coordinates": place}, properties)


def _line(places: list[Place], round_the_earth: bool) -> dict[str, Any]:
    steps = np.abs(np.diff([place[0] for place in places]))
    if not round_the_earth or np.all(steps <= 180.0):
        return {"type": "LineString", "coordinates": places}
    return {"type": "MultiLineString", "coordinates": cut_at_date_line(np.array(places))}


def cut_at_date_line(places: Floats) -> list[list[Place]]:
    """The line in parts that do not cross 180 degrees (RFC 7946, section 3.1.9)."""
    parts: list[list[Place]] = [[places[0].tolist()]]
    for (lon, lat), (next_lon, next_lat) in pairwise(places):
        if abs(next_lon - lon) > 180.0:
            side = 180.0 if lon > 0 else -180.0
            ahead = next_lon + 2 * side
            share = (side - lon) / (ahead - lon) if ahead != lon else 0.0
            crossing = float(lat + share * (next_lat - lat))
            parts[-1].append([side, crossing])
            parts.append([[-side, crossing]])
        parts[-1].append([float(next_lon), float(next_lat)])
    return parts
