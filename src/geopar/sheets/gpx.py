"""Routes for navigation devices: GPX 1.1, a route for each trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from geopar.errors import refuse
from geopar.problems import Problem
from geopar.sheets.content import Line, Sheet

NAMESPACE = "http://www.topografix.com/GPX/1/1"
Shapes = Mapping[tuple[str, int], Sequence[Sequence[float]]]


def sheets_gpx(problem: Problem, sheets: Sequence[Sheet], shapes: Shapes | None = None) -> str:
    """Stops as route points; where there are shapes of roads, these as tracks as well.

    Raises
    ------
    geopar.errors.InputError
        For places on a plane, which are nowhere on the earth.
    """
    if problem.coordinates != "lonlat":
        refuse(
            "not-on-earth", "coordinates", problem.coordinates,
            "have no latitude and longitude, which GPX needs.",
            "Write GeoJSON, which takes any coordinates, or give the problem lon and lat.",
        )  # fmt: skip
    root = Element("gpx", {"version": "1.1", "creator": "GeoPAR", "xmlns": NAMESPACE})
    for sheet in sheets:
        for number, trip in enumerate(sheet.trips, 1):
            route = SubElement(root, "rte")
            several = len(sheet.trips) > 1
            _text(route, "name", f"{sheet.vehicle}, trip {number}" if several else sheet.vehicle)
            stops = iter(line for line in trip.lines if line.number)
            for i, place in enumerate(trip.way):
                marked = _point(route, "rtept", problem.places[place])
                if place < problem.num_tasks:
                    _tell(marked, next(stops))
                elif problem.comes_home and place == problem.num_tasks:
                    _text(marked, "name", "Depot")
                else:
                    _text(marked, "name", "End" if i else "Start")
    for (vehicle, number), shape in (shapes or {}).items():
        if vehicle in {sheet.vehicle for sheet in sheets}:
            track = SubElement(root, "trk")
            _text(track, "name", f"{vehicle}, trip {number}")
            segment = SubElement(track, "trkseg")
            for point in shape:
                _point(segment, "trkpt", point)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _point(parent: Element, kind: str, place: Sequence[float]) -> Element:
    lon, lat = (f"{float(value):.7f}" for value in place)
    return SubElement(parent, kind, {"lat": lat, "lon": lon})


def _tell(point: Element, line: Line) -> None:
    """The name of a stop, and in the comment when and what else; the schema wants that order."""
    _text(point, "name", line.stop)
    told = "; ".join(f"{name}: {text}" for name, text in line.told.items())
    _text(point, "cmt", f"arrive {line.arrives}" + (f"; {told}" if told else ""))


def _text(parent: Element, kind: str, text: str) -> None:
    # Control characters have no place in XML, however they are written.
    SubElement(parent, kind).text = "".join(c for c in text if c >= " " or c in "\t\n")
