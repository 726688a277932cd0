"""Who is out of service for the rest of a day, for sheets: what is done, where the goods are."""

from __future__ import annotations

from collections.abc import Iterator

from geopar.plan import Plan
from geopar.problems.told_times import Times
from geopar.replanning.changes import changes
from geopar.replanning.rest import RestOfDay
from geopar.replanning.telling import standing
from geopar.sheets import sheets_of
from geopar.sheets.content import Sheet
from geopar.sheets.gone import Gone, HandedOver, Served


def gone(rest: RestOfDay, plan: Plan) -> list[Gone]:
    """A sheet for each vehicle that is out of service.

    Parameters
    ----------
    plan
        Of ``rest.problem``: it says who has what they do no more.
    """
    day = rest.day
    at = Times(day).moment(rest.now)
    lost = {one.vehicle: one.lost for one in changes(rest, plan)} if rest.problem else {}
    told = {one["vehicle"]: one for one in standing(rest)}
    sheets = {one.vehicle: one for one in sheets_of(day, rest.plan, rest.out_of_service)}
    names = _names(rest)
    found = []
    for vehicle in rest.out_of_service:
        where = rest.vehicles[day.vehicle_ids.index(vehicle)]
        # What was just being loaded is at the depot.
        aboard = where.back if where.doing == "loading" else (*where.aboard, *where.back)
        on_board = {day.request_ids[task] for task in aboard}
        handed = [
            HandedOver(names.get(name, name), name in on_board, owner or "")
            for name, owner in lost.get(vehicle, ())
        ]
        sheet = sheets[vehicle]
        said = told[vehicle]["said"].removeprefix("out of service, ")
        served = tuple(_served(sheet, set(where.done)))
        said = f"Out of service from {at}: {said}."
        found.append(Gone(vehicle, sheet.driver, said, served, tuple(handed)))
    return found


def _names(rest: RestOfDay) -> dict[str, str]:
    """What the customers are called that have a name besides their id."""
    day = rest.day
    if not day.comes_home:
        return {}
    told = ((name, day.details_of(task)) for task, name in enumerate(day.request_ids))
    return {name: _called(name, details) for name, details in told}


def _served(sheet: Sheet, done: set[int]) -> Iterator[Served]:
    lines = (line for trip in sheet.trips for line in trip.lines)
    for line in lines:
        if line.visit.task in done:
            yield Served(line.arrives, _called(line.stop, line.told))


def _called(stop: str, told: dict[str, str]) -> str:
    name = next((told[one] for one in told if one.lower() == "name"), "")
    return f"{name} · {stop}" if name and name != stop else stop
