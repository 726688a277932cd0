"""Plans as GeoJSON (RFC 7946): a line per trip, a point per stop.

Longitude and latitude are WGS 84, as the standard wants. A plane has no place on the earth: its
x and y are written as they are, and the member ``coordinateSystem`` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from geopar.files.known_ids import check_ids_known
from geopar.files.plan_schedule import times_of, timetables
from geopar.plan import Plan, ways
from geopar.problems import Problem
from geopar.problems.tasks import Stop, Task
from geopar.problems.validation import Floats

Place = list[float]


def plan_to_geojson(
    plan: Plan, problem: Problem, shapes: Mapping[tuple[str, int], list[Place]] | None = None
) -> dict[str, Any]:
    """The plan as a FeatureCollection, each stop with its times.

    Parameters
    ----------
    shapes
        The line of each trip on roads, by vehicle and number of the trip from 1; straight lines
        where there is none.

    Raises
    ------
    geopar.errors.InputError
        For ids that the problem does not have.
    """
    check_ids_known(plan, problem)
    places, lonlat = problem.places.tolist(), problem.coordinates == "lonlat"
    features = _homes(problem, places)
    routes = plan.known_indices(problem)
    tables = timetables(problem, plan)
    for route in plan.routes:
        v = problem.vehicle_ids.index(route.vehicle)
        lines = ways(problem, v, routes[v])
        for number, (way, visits) in enumerate(zip(lines, tables[v].trips, strict=True), 1):
            line = (shapes or {}).get((route.vehicle, number)) or [places[i] for i in way.tolist()]
            stops = [visit for visit in visits if visit.task is not None]
            about = {"kind": "trip", "vehicle": route.vehicle, "trip": number, "stops": len(stops)}
            features.append(_feature(_line(line, lonlat), about))
            for position, visit in enumerate(stops, 1):
                task = visit.task or 0
                about = {"vehicle": route.vehicle, "trip": number, "position": position}
                about |= times_of(problem, visit) | problem.details_of(task)
                told = _task(problem.task_ids[task])
                features.append(_point(places[task], about | told | {"trip": number}))
    top: dict[str, Any] = {"type": "FeatureCollection", "problem": plan.kind}
    if plan.objective is not None:
        top["objective"] = plan.objective
    top["coordinateSystem"] = "WGS 84" if lonlat else "plane x, y"
    top["features"] = features
    return top


def _homes(problem: Problem, places: list[Place]) -> list[dict[str, Any]]:
    """The depot, and where vehicles begin or end elsewhere."""
    depot = problem.num_tasks if problem.comes_home else -1
    features = []
    if problem.comes_home and (problem.day is None or problem.day.has_depot):
        features.append(_point(places[depot], {"kind": "depot"}))
    for vehicle, *ends in zip(problem.vehicle_ids, problem.homes, problem.ends, strict=True):
        for place, kind in zip(map(int, ends), ("start", "end"), strict=True):
            if place not in (depot, -1):
                features.append(_point(places[place], {"kind": kind, "vehicle": vehicle}))
    return features


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
