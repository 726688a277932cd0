"""Sheets as one HTML file: a page of paper, or more, for each vehicle."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from datetime import date as Date
from hashlib import sha256
from html import escape
from typing import NamedTuple

from geopar.problems import Problem
from geopar.sheets.content import Line, Sheet, Trip, amount_text
from geopar.sheets.dates import heading_of
from geopar.sheets.gone import Gone
from geopar.sheets.loads import Amounts
from geopar.sheets.route_map import map_svg

# Everything is in the file: it can be mailed, kept and printed without a network.
_STYLE = """
:root { color-scheme: light; font-size: 11pt; }
body { font: 1rem/1.4 system-ui, sans-serif; color: #111; background: #fff;
  margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
section { break-after: page; margin-bottom: 3rem; }
section:last-of-type { break-after: auto; }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.day { color: #444; margin: 0 0 .6rem; }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; margin: .6rem 0; padding: 0;
  list-style: none; }
.facts b { font-variant-numeric: tabular-nums; }
.preliminary { border: 2px dashed #111; padding: .4rem .8rem; font-weight: bold; }
.broken { border: 2px solid #a00; padding: .4rem .8rem; }
.map { width: 100%; box-sizing: border-box; border: 1px solid #bbb; border-radius: 4px; }
.map polyline { fill: none; stroke: #333; stroke-width: 1.6; }
.map rect { fill: #111; }
.map circle { fill: #fff; stroke: #111; }
.map text { font: 9px system-ui, sans-serif; text-anchor: middle; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
col.slim { width: 1.9rem; } col.arrive { width: 5.4rem; } col.time { width: 4.6rem; }
col.window { width: 7.6rem; }
col.load { width: 5.6rem; } col.loads { width: 7.8rem; } col.done { width: 2.8rem; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
tr.whose { display: none; }
th { text-align: left; font-size: .8rem; color: #444; border-bottom: 2px solid #111; }
th, td { padding: .3rem .5rem .3rem 0; vertical-align: top; }
td { border-bottom: 1px solid #ccc; }
td.time, td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
td.time .told { white-space: normal; }
td.load { overflow-wrap: anywhere; font-size: .92rem; font-variant-numeric: tabular-nums; }
td.done { font-size: 1.2rem; line-height: 1; }
th.done, td.done { text-align: right; padding-right: 0; }
.told { color: #333; font-size: .9rem; overflow-wrap: anywhere; }
tr.start td, tr.end td { background: #f3f3f3; }
.leave { font-size: 1.05rem; margin: 1.2rem 0 .4rem; }
.leave b { font-variant-numeric: tabular-nums; }
@media print { :root { font-size: 10pt; } body { margin: 0; max-width: none; padding: 0; }
  @page { margin: 12mm; } tr.whose { display: table-row; }
  tr.start td, tr.end td { background: none; font-style: italic; } }
"""

PRELIMINARY = "Preliminary: planning is not over, and this may still change."
"""What sheets of a plan say that is not the last."""
STYLE_DIGEST = f"'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
"""Names the style of such a page to browsers."""
CONTENT_POLICY = f"default-src 'none'; style-src {STYLE_DIGEST}"
"""What a browser may load for such a page: its own style, and nothing else."""


class Remarks(NamedTuple):
    """What whoever prints the sheets has to know of the plan.

    Parameters
    ----------
    broken
        What it violates.
    left_out
        Who is not served, and why.
    idle
        Vehicles that have nothing to do.
    gone
        Vehicles that are out of service.
    """

    broken: Sequence[str] = ()
    left_out: Sequence[tuple[str, str]] = ()
    idle: Sequence[str] = ()
    gone: Sequence[Gone] = ()


def sheets_html(
    problem: Problem,
    sheets: Sequence[Sheet],
    remarks: Remarks | None = None,
    *,
    preliminary: bool = False,
    date: Date | None = None,
) -> str:
    """One self-contained page.

    Parameters
    ----------
    remarks
        On the plan: rules that it breaks stand on every sheet, vehicles out of service have one
        that says so, who is left out stands on one more, and vehicles without work in a line behind
        all others.
    preliminary
        Whether the plan may still change, which every sheet then says.
    date
        The day, where the times of the problem do not say it.
    """
    title = escape(problem.name or "Plan")
    remarks = remarks or Remarks()
    heading = escape(heading_of(problem, date))
    busy = [sheet for sheet in sheets if sheet.trips]
    sections = "".join(
        _section(problem, sheet, heading, remarks.broken, preliminary) for sheet in busy
    )
    sections += "".join(_gone(heading, one) for one in remarks.gone)
    if remarks.left_out:
        sections += _not_served(heading, remarks.left_out)
    # One line for all of them: nobody drives with a sheet that says nothing.
    idle = [sheet.vehicle for sheet in sheets if not sheet.trips] + list(remarks.idle)
    told = f"Nothing to do: {', '.join(idle)}." if idle else ""
    if not sections:
        sections = f'<h1>{title}</h1><p class="day">{heading}</p>'
        told = told or "No vehicle has anything to do."
    nobody = f"<p>{escape(told)}</p>" if told else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}: driver sheets</title><style>{_STYLE}</style></head>\n"
        f"<body><main>{sections}{nobody}</main></body></html>\n"
    )


def _section(
    problem: Problem, sheet: Sheet, heading: str, broken: Sequence[str], preliminary: bool
) -> str:
    warning = f'<div class="preliminary">{PRELIMINARY}</div>' if preliminary else ""
    if broken:
        rows = "".join(f"<li>{escape(text)}</li>" for text in broken)
        warning += f'<div class="broken">This plan breaks rules:<ul>{rows}</ul></div>'
    facts = {
        "Leave": sheet.leaves, "Home by": sheet.home, "Stops": str(sheet.num_stops),
        "Trips": str(len(sheet.trips)), "Drives": sheet.distance, **sheet.about,
    }  # fmt: skip
    told = "".join(
        f"<li>{escape(name)} <b>{escape(value)}</b></li>" for name, value in facts.items()
    )
    trips = "".join(_trip(sheet, trip, number) for number, trip in enumerate(sheet.trips, 1))
    return (
        f"<section><h1>{escape(sheet.title)}</h1>"
        f'<p class="day">{heading}</p>{warning}<ul class="facts">{told}</ul>'
        f"{map_svg(problem, sheet)}{trips}</section>\n"
    )


def _gone(heading: str, gone: Gone) -> str:
    """For the driver of a vehicle out of service, and for who fetches what is in it."""
    served = "".join(
        f'<tr><td class="time">{escape(one.arrived)}</td><td>{escape(one.stop)}</td></tr>'
        for one in gone.served
    )
    handed = "".join(
        f"<tr><td>{escape(one.stop)}</td><td>{'yes' if one.on_board else ''}</td>"
        f"<td>{escape(one.taken_by or 'nobody')}</td></tr>"
        for one in gone.handed_over
    )
    text = (
        f'<section><h1>{escape(gone.title)}</h1><p class="day">{heading}</p>'
        f'<div class="broken">{escape(gone.said)}</div>'
    )
    if handed:
        text += (
            "<h2>Serves no more</h2><table><thead><tr><th>Stop</th><th>In this vehicle</th>"
            f"<th>Goes to</th></tr></thead><tbody>{handed}</tbody></table>"
        )
    if served:
        text += (
            '<h2>Has served</h2><table><colgroup><col class="arrive"><col></colgroup>'
            f"<thead><tr><th>Arrived</th><th>Stop</th></tr></thead><tbody>{served}</tbody></table>"
        )
    return text + "</section>\n"


def _not_served(heading: str, left_out: Sequence[tuple[str, str]]) -> str:
    """A sheet for the dispatcher."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(reason)}</td></tr>" for name, reason in left_out
    )
    return (
        f'<section><h1>Not served</h1><p class="day">{heading}</p>'
        f"<table><thead><tr><th>Stop</th><th>Why</th></tr></thead><tbody>{rows}</tbody></table>"
        "</section>\n"
    )


def _trip(sheet: Sheet, trip: Trip, number: int) -> str:
    """A line with when to leave and what to take along, then the stops."""
    loads = sheet.loads
    said = [f"<b>Trip {number}</b>"] if len(sheet.trips) > 1 else []
    said.append(f"Leave at <b>{escape(trip.start.leaves)}</b>")
    if loads and trip.is_loaded:
        said.append(f"take along <b>{escape(_joined(loads, trip.start.on_board))}</b>")
    elif any(trip.start.on_board):
        said.append(f"on board <b>{escape(_joined(loads, trip.start.on_board))}</b>")
    rows = "".join(_row(line, sheet, "") for line in trip.lines)
    start = _row(trip.start, sheet, "start", is_told=number == 1)
    has_windows = _has_windows(sheet)
    heads = ["#", "Arrive", "Stop", "Takes"]
    widths = ["slim", "arrive", "", "time"]
    if has_windows:
        heads.insert(3, "Window")
        widths.insert(3, "window")
    if loads:
        heads += [loads[0] if len(loads) == 1 else "Amount", "On board"]
        widths += ["load", "load"] if len(loads) == 1 else ["loads", "loads"]
    columns = "".join(f'<col class="{width}">' if width else "<col>" for width in widths)
    header = "".join(f"<th>{escape(_capital(head))}</th>" for head in heads)
    # On paper every page begins with it: loose sheets are told apart.
    whose = f"{sheet.title} · trip {number}" if len(sheet.trips) > 1 else sheet.title
    return (
        f'<p class="leave">{" · ".join(said)}</p>'
        f'<table><colgroup>{columns}<col class="done"></colgroup>'
        f'<thead><tr class="whose"><th colspan="{len(heads) + 1}">{escape(whose)}</th></tr>'
        f'<tr>{header}<th class="done">Done</th></tr></thead>'
        f"<tbody>{start}{rows}</tbody></table>"
    )


def _has_windows(sheet: Sheet) -> bool:
    return any(line.window for trip in sheet.trips for line in trip.lines)


def _row(line: Line, sheet: Sheet, kind: str, *, is_told: bool = True) -> str:
    # A name says more to a driver than an id, and needs no word before it.
    key = next((one for one in line.told if one.lower() == "name"), "")
    name = line.told.get(key, "")
    stop = f"<b>{escape(name)}</b> · {escape(line.stop)}" if name else escape(line.stop)
    if name == line.stop:
        stop = f"<b>{escape(name)}</b>"
    kind = kind or ("" if line.number else "end")
    # All that is to be known of the depot stands where the day begins.
    hidden = kind == "end" or not is_told
    told = {} if hidden else {one: text for one, text in line.told.items() if one != key}
    details = "".join(
        f'<div class="told">{escape(one)}: {escape(text)}</div>' for one, text in told.items()
    )
    waits = f'<div class="told">wait {escape(line.waits)}</div>' if line.waits else ""
    arrives = escape(line.arrives) + waits
    if kind == "start" and line.visit.arrival == line.visit.departure:
        arrives = ""
    cells = [
        f'<td class="number">{line.number}</td>',
        f'<td class="time">{arrives}</td>',
        f"<td>{stop}{details}</td>",
    ]
    if _has_windows(sheet):
        cells.append(f'<td class="window">{escape(line.window)}</td>')
    cells.append(f'<td class="time">{escape(line.takes)}</td>')
    if sheet.loads:
        cells += [
            f'<td class="load">{_listed(sheet.loads, amounts)}</td>'
            for amounts in (line.amounts, line.on_board)
        ]
    row = f' class="{kind}"' if kind else ""
    return f'<tr{row}>{"".join(cells)}<td class="done">{"☐" if line.number else ""}</td></tr>'


def _listed(names: Sequence[str], amounts: Amounts) -> str:
    """Amounts below each other, with the names of their dimensions where there are several."""
    if len(names) == 1:
        return "".join(map(amount_text, amounts))
    lines = (f"{name} {amount_text(one)}" for name, one in zip(names, amounts, strict=False))
    return "<br>".join(map(escape, lines))


def _joined(names: Sequence[str], amounts: Amounts) -> str:
    return ", ".join(f"{name} {amount_text(one)}" for name, one in zip(names, amounts, strict=True))


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
