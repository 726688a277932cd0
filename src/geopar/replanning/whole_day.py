"""A day as one: what was driven until it was planned again, and what is driven from then on."""

from __future__ import annotations

from geopar.files.plan_schedule import Row, cells_of, schedule_rows
from geopar.files.table_cells import Cells
from geopar.plan import Plan
from geopar.problems.tasks import Stop, Task
from geopar.replanning.rest import RestOfDay
from geopar.replanning.whereabouts import Whereabouts


def whole_day_rows(rest: RestOfDay, plan: Plan) -> list[Row]:
    """One row per stop, as :func:`geopar.files.plan_schedule.schedule_rows` has them.

    Trips are counted on. Who is loaded again has a row ``load`` for it; of loads, the morning's are
    what the old plan had on board.

    Parameters
    ----------
    plan
        Of ``rest.problem``.
    """
    assert rest.problem is not None
    before, after = schedule_rows(rest.day, rest.plan), schedule_rows(rest.problem, plan)
    rows = []
    for name, one in zip(rest.day.vehicle_ids, rest.vehicles, strict=True):
        later = [row for row in after if row["vehicle"] == name]
        earlier = [row for row in before if row["vehicle"] == name]
        driven = _driven(rest, one, earlier, goes_on=bool(later))
        loads = rest.day.comes_home and not one.aboard
        rows += [*driven, *_to_drive(one, driven, later, loads=loads)]
    return rows


def whole_day_cells(rest: RestOfDay, plan: Plan) -> Cells:
    """The rows as cells, headers first."""
    return cells_of(rest.day, whole_day_rows(rest, plan))


def _driven(rest: RestOfDay, one: Whereabouts, rows: list[Row], *, goes_on: bool) -> list[Row]:
    """What a vehicle has done by then, with the ends of trips that are over."""
    if one.begun is None:
        return []
    ids = rest.day.task_ids
    done = {_key(ids[task]) for task in one.done}
    kept = []
    for row in rows:
        if row["action"] == "end" and row["trip"] == one.trips_made and not one.aboard:
            if goes_on and one.place < rest.day.num_tasks:
                continue  # It goes from its last stop to the depot, not to its end.
            row = row | {"waiting": 0.0, "service": 0.0, "departure": row["arrival"]}
            row |= {"leaves": row["arrives"]} if "arrives" in row else {}
        is_over = row["action"] == "end" and row["trip"] <= one.trips_made
        if row["action"] == "start" or is_over or (row["stop"], row["action"]) in done:
            kept.append(row)
    return kept


def _to_drive(one: Whereabouts, driven: list[Row], rows: list[Row], *, loads: bool) -> list[Row]:
    """What it does then, trips and positions counted on from those that are over."""
    passed = max(
        (row["position"] for row in driven if row["trip"] == one.trips_made + 1), default=0
    )
    done = {(row["stop"], row["action"]) for row in driven if row["stop"]}
    kept = []
    for row in rows:
        if (row["stop"], row["action"]) in done:
            passed -= 1  # A plan for the rest begins with the pickups of what is on board.
            continue
        if row["action"] == "start" and one.begun is not None:
            if not loads:
                continue
            row = row | {"action": "load"}
        more = {"trip": row["trip"] + one.trips_made}
        if row["trip"] == 1:
            more["position"] = row["position"] + passed
        kept.append(row | more)
    return kept


def _key(task: Task) -> tuple[str, str]:
    """Stop and action of its row."""
    return (task.order, task.action) if isinstance(task, Stop) else (task, "serve")
