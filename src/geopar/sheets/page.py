"""Sheets as one HTML file: a page of paper, or more, for each vehicle."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape

from geopar.problems import Problem
from geopar.sheets.content import Line, Sheet, Trip
from geopar.sheets.route_map import map_svg
from geopar.sheets.times import Times

# Everything is in the file: it can be mailed, kept and printed without a network.
_STYLE = """
:root { color-scheme: light; }
body { font: 11pt/1.4 system-ui, sans-serif; color: #111; background: #fff;
  margin: 2rem auto; max-width: 50rem; padding: 0 1rem; }
section { break-after: page; margin-bottom: 3rem; }
section:last-of-type { break-after: auto; }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.day { color: #444; margin: 0 0 .6rem; }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; margin: .6rem 0; padding: 0;
  list-style: none; }
.facts b { font-variant-numeric: tabular-nums; }
.broken { border: 2px solid #a00; padding: .4rem .8rem; }
.map { width: 100%; border: 1px solid #bbb; border-radius: 4px; }
.map polyline { fill: none; stroke: #333; stroke-width: 1.6; }
.map rect { fill: #111; }
.map circle { fill: #fff; stroke: #111; }
.map text { font: 9px system-ui, sans-serif; text-anchor: middle; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
col.slim { width: 2.4rem; } col.time { width: 5.5rem; } col.load { width: 6rem; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th { text-align: left; font-size: .8rem; color: #444; border-bottom: 2px solid #111; }
th, td { padding: .3rem .5rem .3rem 0; vertical-align: top; }
td { border-bottom: 1px solid #ccc; }
td.time, td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
td.done { font-size: 1.2rem; line-height: 1; }
th.done, td.done { text-align: right; padding-right: 0; }
.told { color: #333; font-size: .9rem; overflow-wrap: anywhere; }
tr.end td { font-style: italic; }
@media print { body { margin: 0; max-width: none; padding: 0; } @page { margin: 14mm; } }
"""

STYLE_DIGEST = f"'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
"""Names the style of such a page to browsers."""
CONTENT_POLICY = f"default-src 'none'; style-src {STYLE_DIGEST}"
"""What a browser may load for such a page: its own style, and nothing else."""


def sheets_html(problem: Problem, sheets: Sequence[Sheet], broken: Sequence[str] = ()) -> str:
    """One self-contained page.

    Parameters
    ----------
    broken
        What the plan violates, told to whoever reads it.
    """
    title = escape(problem.name or "Plan")
    sections = "".join(_section(problem, sheet, broken) for sheet in sheets)
    nobody = "" if sheets else "<p>No vehicle has anything to do.</p>"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}: driver sheets</title><style>{_STYLE}</style></head>\n"
        f"<body>{sections}{nobody}</body></html>\n"
    )


def _section(problem: Problem, sheet: Sheet, broken: Sequence[str]) -> str:
    heading = " · ".join(filter(None, (problem.name, Times(problem).heading)))
    warning = ""
    if broken:
        rows = "".join(f"<li>{escape(text)}</li>" for text in broken)
        warning = f'<div class="broken">This plan breaks rules:<ul>{rows}</ul></div>'
    facts = {
        "Leaves": sheet.leaves, "Home by": sheet.home, "Stops": str(sheet.num_stops),
        "Trips": str(len(sheet.trips)), "Drives": sheet.distance, **sheet.about,
    }  # fmt: skip
    told = "".join(
        f"<li>{escape(name)} <b>{escape(value)}</b></li>" for name, value in facts.items()
    )
    trips = "".join(
        _trip(trip, f"Trip {number}" if len(sheet.trips) > 1 else "")
        for number, trip in enumerate(sheet.trips, 1)
    )
    return (
        f"<section><h1>{escape(sheet.vehicle)}</h1>"
        f'<p class="day">{escape(heading)}</p>{warning}<ul class="facts">{told}</ul>'
        f"{map_svg(problem, sheet)}{trips}</section>\n"
    )


def _trip(trip: Trip, title: str) -> str:
    heading = f"<h2>{title}</h2>" if title else ""
    rows = "".join(map(_row, trip.lines))
    return (
        f'{heading}<table><colgroup><col class="slim"><col class="time"><col>'
        '<col class="time"><col class="load"><col class="time"></colgroup>'
        "<thead><tr><th></th><th>Arrive</th><th>Stop</th><th>Takes</th><th>On board</th>"
        f'<th class="done">Done</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _row(line: Line) -> str:
    # A name says more to a driver than an id, and needs no word before it.
    name = line.told.get("name", "")
    stop = f"<b>{escape(name)}</b> · {escape(line.stop)}" if name else escape(line.stop)
    told = "".join(
        f'<div class="told">{escape(kind)}: {escape(text)}</div>'
        for kind, text in line.told.items()
        if kind != "name"
    )
    waits = f'<div class="told">wait {escape(line.waits)}</div>' if line.waits else ""
    done = "☐" if line.number else ""
    row = "" if line.number else ' class="end"'
    return (
        f'<tr{row}><td class="number">{line.number}</td>'
        f'<td class="time">{escape(line.arrives)}{waits}</td>'
        f"<td>{stop}{told}</td>"
        f'<td class="time">{escape(line.takes)}</td><td class="number">{escape(line.load)}</td>'
        f'<td class="done">{done}</td></tr>'
    )
