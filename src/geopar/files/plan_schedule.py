"""Plans as rows: who is where when, with what the driver is told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geopar.files.table_cells import Cells
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.tasks import Stop
from geopar.schedule import Timetable, Visit, schedule, setting_out

Row = dict[str, Any]
HEADER = (
    "vehicle", "trip", "position", "stop", "action", "arrival", "waiting", "service", "departure",
    "load",
)  # fmt: skip


def timetables(problem: Problem, plan: Plan) -> list[Timetable]:
    """Those of all vehicles; what the problem does not have is left out."""
    return schedule(problem, plan.known_indices(problem))


def schedule_rows(problem: Problem, plan: Plan) -> list[Row]:
    """One row per stop, vehicle after vehicle; ``end`` is where a trip ends.

    On a working day a row ``start`` tells from when a vehicle is on duty, when it leaves, and what
    is told of the vehicle. Times are numbers; where the problem has a clock, ``arrives`` and
    ``leaves`` tell them by it.
    """
    rows = []
    for v, table in enumerate(timetables(problem, plan)):
        vehicle = problem.vehicle_ids[v]
        for visit in setting_out(problem, table):
            row = {"vehicle": vehicle, "trip": 1, "position": 0, "stop": "", "action": "start"}
            told = problem.details_of_vehicle(v)
            rows.append(row | times_of(problem, visit) | ({"details": told} if told else {}))
        for number, trip in enumerate(table.trips, 1):
            rows += [
                {"vehicle": vehicle, "trip": number, "position": position}
                | visit_row(problem, visit)
                for position, visit in enumerate(trip, 1)
            ]
    return rows


def visit_row(problem: Problem, visit: Visit) -> Row:
    """What happens at one stop."""
    row: Row = {"stop": "", "action": "end"}
    if visit.task is not None:
        task = problem.task_ids[visit.task]
        if isinstance(task, Stop):
            row = {"stop": task.order, "action": task.action}
        else:
            row = {"stop": task, "action": "serve"}
    row |= times_of(problem, visit)
    if visit.task is not None and (told := problem.details_of(visit.task)):
        row["details"] = told
    return row


def times_of(problem: Problem, visit: Visit) -> Row:
    """When, how long, and what is on board then."""
    row: Row = {
        "arrival": visit.arrival, "waiting": visit.waiting, "service": visit.service,
        "departure": visit.departure, "load": visit.load,
    }  # fmt: skip
    day = problem.day
    if day is not None and day.clock is not None:
        row |= {"arrives": day.written(visit.arrival), "leaves": day.written(visit.departure)}
    return row


def schedule_cells(problem: Problem, plan: Plan) -> Cells:
    """The rows as cells, with a column for each thing that drivers are told; clock times if any."""
    return cells_of(problem, schedule_rows(problem, plan))


def cells_of(problem: Problem, rows: Iterable[Row]) -> Cells:
    """Rows as cells, headers first."""
    day = problem.day
    by_clock = day is not None and day.clock is not None
    told = list(dict.fromkeys([*problem.details, *problem.vehicle_details]))
    cells: Cells = [[*HEADER, *told]]
    for row in rows:
        if by_clock:
            row |= {"arrival": row["arrives"], "departure": row["leaves"]}
        details = row.get("details", {})
        values = [row[name] for name in HEADER]
        cells.append([*values, *(details.get(name, "") for name in told)])
    return cells
