"""What a new plan for the rest of the day changes for whom."""

from __future__ import annotations

from typing import NamedTuple

from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.tasks import Stop, Task
from geopar.replanning.rest import RestOfDay
from geopar.schedule import schedule


class Change(NamedTuple):
    """What is new for one vehicle.

    Parameters
    ----------
    vehicle
        Its id.
    gained
        Customers or orders that it did not have, each with whose it was; None where it was
        nobody's.
    lost
        Those that it has no more, each with whose it is; None where it is left out.
    reordered
        Whether what it keeps comes in another order, or in other trips.
    finish, finish_before
        When it is done, by the new plan and by the old; None where it has nothing to do.
    """

    vehicle: str
    gained: tuple[tuple[str, str | None], ...]
    lost: tuple[tuple[str, str | None], ...]
    reordered: bool
    finish: float | None
    finish_before: float | None

    @property
    def is_none(self) -> bool:
        """Whether its stops stay as they were."""
        return not (self.gained or self.lost or self.reordered)


def changes(rest: RestOfDay, plan: Plan) -> list[Change]:
    """What a plan for the rest changes, for each vehicle that drove or still drives.

    Parameters
    ----------
    plan
        Of ``rest.problem``.
    """
    assert rest.problem is not None
    done = set(rest.done)
    before = {
        route.vehicle: [
            kept
            for trip in route.trips
            if (kept := [task for task in trip if task not in done and _is_there(rest, task)])
        ]
        for route in rest.plan.routes
    }
    after = {route.vehicle: [list(trip) for trip in route.trips] for route in plan.routes}
    had, has = _owners(before), _owners(after)
    old, new = _finishes(rest.day, rest.plan), _finishes(rest.problem, plan)
    found = []
    for vehicle in rest.day.vehicle_ids:
        mine, now_mine = before.get(vehicle, []), after.get(vehicle, [])
        if not (mine or now_mine):
            continue
        names, new_names = _names(mine), _names(now_mine)
        gained = tuple((name, had.get(name)) for name in new_names if name not in names)
        lost = tuple((name, has.get(name)) for name in names if name not in new_names)
        both = names.keys() & new_names.keys()
        found.append(
            Change(
                vehicle, gained, lost, _kept(mine, both) != _kept(now_mine, both),
                new.get(vehicle), old.get(vehicle),
            )
        )  # fmt: skip
    return found


def _is_there(rest: RestOfDay, task: Task) -> bool:
    return name_of(task) not in rest.cancelled


def name_of(task: Task) -> str:
    """The customer or order of a task."""
    return task.order if isinstance(task, Stop) else task


def _names(trips: list[list[Task]]) -> dict[str, None]:
    """The requests that are served or delivered, in that order."""
    return {
        name_of(task): None
        for trip in trips
        for task in trip
        if not isinstance(task, Stop) or task.action == "delivery"
    }


def _kept(trips: list[list[Task]], names: set[str]) -> list[list[Task]]:
    """What both plans have, without what is picked up already."""
    delivered = [
        [task for task in trip if name_of(task) in names and _counts(task)] for trip in trips
    ]
    return [trip for trip in delivered if trip]


def _counts(task: Task) -> bool:
    return not isinstance(task, Stop) or task.action == "delivery"


def _owners(routes: dict[str, list[list[Task]]]) -> dict[str, str]:
    return {name: vehicle for vehicle, trips in routes.items() for name in _names(trips)}


def _finishes(problem: Problem, plan: Plan) -> dict[str, float]:
    tables = schedule(problem, plan.known_indices(problem))
    return {
        name: table.finish
        for name, table in zip(problem.vehicle_ids, tables, strict=True)
        if table.trips
    }
