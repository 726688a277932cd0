"""A small map of one vehicle's way: no street, no picture from elsewhere."""

from __future__ import annotations

from geopar.markup import svg
from geopar.problems import Problem
from geopar.sheets.content import Sheet

# As wide as the paper and a quarter as high: the list of stops has to fit below it, and the
# numbers have to be read.
WIDTH, HEIGHT, MARGIN = 640.0, 210.0, 14.0
# Trips of one vehicle, told apart on paper without colour as well.
DASHES = ("none", "7 4", "2 4", "10 4 2 4")


def map_svg(problem: Problem, sheet: Sheet) -> str:
    """All trips of a sheet; stops have the numbers that they have in its list."""
    passed = sorted({place for trip in sheet.trips for place in trip.way})
    if not passed:
        return ""
    drawn = svg.fitted(problem.places_xy[passed], WIDTH, HEIGHT, MARGIN)
    at = dict(zip(passed, drawn, strict=True))
    row = {place: i for i, place in enumerate(passed)}
    parts = [
        svg.line(
            drawn[[row[place] for place in trip.way]],
            f'stroke-dasharray="{DASHES[i % len(DASHES)]}"',
        )
        for i, trip in enumerate(sheet.trips)
    ]
    parts += [svg.square(at[place], 10.0) for place in passed if place >= problem.num_tasks]
    stops = [place for trip in sheet.trips for place in trip.way if place < problem.num_tasks]
    for number, place in enumerate(stops, 1):
        parts += [svg.dot(at[place], 8.0), svg.label(at[place], str(number))]
    return svg.document(parts, WIDTH, HEIGHT, f"Map of {sheet.vehicle}")
