"""Plans from and to VRPLIB solution files.

One line per trip, tasks numbered from 1 by their position in the problem (in OMDCPDP all pickups,
then all deliveries). After the cost, lines such as ``Vehicle #2: 3 4`` say that the second vehicle
drives routes 3 and 4, in that order; readers of plain VRPLIB take no notice of them. A 0 inside a
route is a return to the depot, as benchmarks of several trips write it.
"""

from __future__ import annotations

import re

from geopar.errors import Faults
from geopar.files.known_ids import check_ids_known
from geopar.files.storage import decode
from geopar.files.wording import shown
from geopar.plan import Plan, Route
from geopar.problems import Problem

_LINE = re.compile(r"\s*(route|vehicle)\s*#?\s*(\d{1,9})\s*:(.*)", re.IGNORECASE)
_COST = re.compile(r"\s*cost\s*:?\s*(\S+)\s*", re.IGNORECASE)
# What benchmark sets write besides.
_REMARK = re.compile(r"\s*(optimal|time|date|author|gap|bound)\b.*", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def plan_from_sol(data: bytes, name: str, problem: Problem) -> Plan:
    """The plan, with the ids of the problem.

    Without lines for vehicles the first route is the first vehicle's, and so on.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    faults = Faults()
    trips: dict[int, list[int]] = {}
    drives: list[tuple[int, list[int]]] = []
    objective: float | None = None
    lines = decode(data, name).splitlines()
    for number, line in enumerate(lines, 1):
        place = f"{name} line {number}"
        if match := _LINE.fullmatch(line):
            numbers = _numbers(faults, place, match[3])
            if match[1].lower() == "vehicle":
                drives.append((int(match[2]), numbers))
            elif trips.setdefault(int(match[2]), numbers) is not numbers:
                hint = "Number the routes 1, 2, 3, …"
                faults.add("duplicate-id", place, int(match[2]), "is a route told before.", hint)
        elif match := _COST.fullmatch(line):
            objective = _cost(faults, place, match[1])
        elif line.strip() and not line.lstrip().startswith("#") and not _REMARK.fullmatch(line):
            faults.add(
                "bad-sol", place, shown(line), "is no line of a solution.",
                'Lines are "Route #1: 3 7 2" and "Cost 5.4".',
            )  # fmt: skip
    if not trips and not drives and not faults:
        faults.add("bad-sol", name, ..., "has no routes.", 'Add lines such as "Route #1: 3 7 2".')
    faults.raise_if_any()
    return _assemble(faults, name, problem, trips, drives, objective)


def _numbers(faults: Faults, place: str, text: str) -> list[int]:
    words = text.split()
    wrong = [word for word in words if not _NUMBER.fullmatch(word)]
    if wrong:
        faults.add("not-whole", place, shown(wrong[0]), "is not a whole number.", "Mend it.")
        return []
    return list(map(int, words))


def _cost(faults: Faults, place: str, text: str) -> float | None:
    try:
        cost = float(text)
    except ValueError:
        faults.add("not-a-number", place, shown(text), "is not a number.", "Mend it or remove it.")
        return None
    if not abs(cost) < float("inf"):
        faults.add("not-finite", place, cost, "must be a finite number.", "Mend it or remove it.")
    return cost


def _assemble(
    faults: Faults,
    name: str,
    problem: Problem,
    trips: dict[int, list[int]],
    drives: list[tuple[int, list[int]]],
    objective: float | None,
) -> Plan:
    if not drives:
        drives = [(i, [route]) for i, route in enumerate(trips, 1)]
        if len(drives) > problem.num_vehicles:
            faults.refuse(
                "missing-field", f"{name} Vehicle #1", ...,
                f"is missing: {len(drives)} routes, {problem.num_vehicles} vehicles, and nothing "
                "says who drives which.",
                'Add lines such as "Vehicle #1: 1 2".',
            )  # fmt: skip
    driven: set[int] = set()
    for vehicle, routes in drives:
        if not 1 <= vehicle <= problem.num_vehicles:
            most = f"is not one of the vehicles 1 to {problem.num_vehicles}."
            faults.add("unknown-id", f"{name} Vehicle", vehicle, most, "Is it the right problem?")
        for route in routes:
            if route not in trips:
                faults.add(
                    "unknown-id",
                    f"{name} Vehicle #{vehicle}",
                    route,
                    "is no route here.",
                    "Add it.",
                )
            elif route in driven:
                faults.add(
                    "duplicate-id", f"{name} Vehicle #{vehicle}", route, "is driven twice.",
                    "Give it to one vehicle.",
                )  # fmt: skip
            driven.add(route)
    for route, tasks in trips.items():
        if route not in driven:
            faults.add(
                "missing-field", f"{name} Route #{route}", ..., "is driven by no vehicle.",
                "Add it to a line of a vehicle.",
            )  # fmt: skip
        for task in tasks:
            if not (0 if problem.comes_home else 1) <= task <= problem.num_tasks:
                most = f"is not one of the tasks 1 to {problem.num_tasks}."
                faults.add("unknown-id", f"{name} Route #{route}", task, most, "Mend it.")
    faults.raise_if_any()
    ids = problem.task_ids
    return Plan(
        problem.kind,
        tuple(
            Route(
                problem.vehicle_ids[vehicle - 1],
                tuple(
                    tuple(ids[task - 1] for task in trip)
                    for route in routes
                    for trip in _split(trips[route])
                ),
            )
            for vehicle, routes in drives
        ),
        objective,
    )


def _split(tasks: list[int]) -> list[list[int]]:
    """The trips of a route, in which 0 is a return to the depot."""
    trips: list[list[int]] = [[]]
    for task in tasks:
        if task:
            trips[-1].append(task)
        elif trips[-1]:
            trips.append([])
    return trips if trips[-1] or len(trips) == 1 else trips[:-1]


def plan_to_sol(plan: Plan, problem: Problem) -> str:
    """The plan as text; trips without tasks are left out.

    A plan in which nobody drives has a first vehicle without routes: a file must say something.

    Raises
    ------
    geopar.errors.InputError
        For ids that the problem does not have.
    """
    check_ids_known(plan, problem)
    tasks = {task: i for i, task in enumerate(problem.task_ids, 1)}
    vehicles = {vehicle: i for i, vehicle in enumerate(problem.vehicle_ids, 1)}
    routes: list[str] = []
    drives: list[str] = []
    for route in plan.routes:
        first = len(routes) + 1
        routes += [" ".join(str(tasks[t]) for t in trip) for trip in route.trips if trip]
        numbers = " ".join(map(str, range(first, len(routes) + 1)))
        drives.append(f"Vehicle #{vehicles[route.vehicle]}: {numbers}".rstrip())
    if not drives:
        drives.append("Vehicle #1:")
    lines = [f"Route #{number}: {route}" for number, route in enumerate(routes, 1)]
    if plan.objective is not None:
        lines.append(f"Cost {plan.objective!r}")
    return "\n".join([*lines, *drives]) + "\n"
