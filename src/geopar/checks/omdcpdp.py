"""The rules and the objective of OMDCPDP, for the checker."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geopar.checks.visits import Floats, Ints, Visits
from geopar.problems import OMDCPDP
from geopar.violations import Violation


def judge(problem: OMDCPDP, visits: Visits, found: list[Violation]) -> tuple[Floats, float]:
    """Pickup before delivery and never too many on board; lengths, and the sum of arrivals."""
    check_orders(problem, visits, found)
    _check_room(problem, visits, found)
    return _lengths_and_arrivals(problem, visits)


def _first_visits(problem: OMDCPDP, visits: Visits) -> tuple[Ints, Ints]:
    """Where each order is first picked up and first delivered; behind all visits for never."""
    first = np.full(problem.num_tasks, len(visits.task), dtype=np.int64)
    # Written backwards, so that of several visits the first one stays.
    first[visits.task[::-1]] = np.arange(len(visits.task))[::-1]
    return first[: problem.num_orders], first[problem.num_orders :]


def check_orders(problem: OMDCPDP, visits: Visits, found: list[Violation]) -> None:
    """Pickup before delivery, both on one vehicle."""
    pickup, delivery = _first_visits(problem, visits)
    vehicle = np.append(visits.vehicle, -1)
    by, to = vehicle[pickup], vehicle[delivery]

    def note(code: str, where: NDArray[np.bool_], sentence: str) -> None:
        at = np.flatnonzero(where)
        for i, v, w in zip(at.tolist(), by[at].tolist(), to[at].tolist(), strict=True):
            one, other = visits.names[v], visits.names[w]
            message = sentence.format(problem.order_ids[i], one, other)
            names = (one, other) if code == "split-order" else (other,)
            both = (problem.task_ids[i], problem.task_ids[problem.num_orders + i])
            found.append(Violation(code, message, names, both))

    delivered, both = to >= 0, (by >= 0) & (to >= 0)
    note(
        "delivery-without-pickup", delivered & ~both, "{0} is delivered by {2}, picked up by nobody"
    )
    note("split-order", both & (by != to), "{0} is picked up by {1} and delivered by {2}")
    note(
        "delivery-before-pickup", both & (by == to) & (delivery < pickup),
        "{0} is delivered by {2} before it is picked up",
    )  # fmt: skip


def _check_room(problem: OMDCPDP, visits: Visits, found: list[Violation]) -> None:
    """Never too many on board; a delivery frees room only if its order was on board."""
    pickup, _ = _first_visits(problem, visits)
    vehicle, order = visits.vehicle, visits.task % problem.num_orders
    change = np.zeros(len(order) + 1, dtype=np.int64)
    change[pickup] = 1
    at = np.flatnonzero(visits.task >= problem.num_orders)
    at = at[at > pickup[order[at]]]
    at = at[vehicle[at] == vehicle[pickup[order[at]]]]
    first_time = np.full(problem.num_orders, -1, dtype=np.int64)
    first_time[order[at][::-1]] = at[::-1]
    change[first_time[first_time >= 0]] = -1

    by_vehicle = np.argsort(vehicle, kind="stable")
    count = np.bincount(vehicle, minlength=len(visits.names))
    first = np.cumsum(count) - count
    so_far = np.cumsum(np.append(0, change[by_vehicle]))
    on_board = so_far[1:] - np.repeat(so_far[first], count)
    room = visits.capacity(problem)
    for v in np.unique(vehicle[by_vehicle[on_board > np.repeat(room, count)]]).tolist():
        worst = int(first[v] + on_board[first[v] : first[v] + count[v]].argmax())
        peak, stop = int(on_board[worst]), problem.task_ids[visits.task[by_vehicle[worst]]]
        message = (
            f"vehicle {visits.names[v]} has {peak} orders on board after the {stop}, "
            f"but room for {room[v]:g}"
        )
        found.append(
            Violation(
                "too-many-on-board", message, (visits.names[v],), (stop,),
                found=peak, allowed=float(room[v]),
            )
        )  # fmt: skip


def _lengths_and_arrivals(problem: OMDCPDP, visits: Visits) -> tuple[Floats, float]:
    """How far each vehicle drives, and the sum of the deliveries' arrival times (paper, Eq. 16).

    The sum is taken by hops: each is driven before all deliveries that come after it on its route.
    """
    known = np.flatnonzero(visits.vehicle < problem.num_vehicles)
    if not len(known):
        return np.zeros(problem.num_vehicles), 0.0
    known = known[np.argsort(visits.vehicle[known], kind="stable")]
    vehicle, task = visits.vehicle[known], visits.task[known]
    begins = np.append(True, vehicle[1:] != vehicle[:-1])
    before = np.where(begins, problem.homes[vehicle], np.roll(task, 1))
    hop = problem.travel.distance(before, task)
    length = np.bincount(vehicle, weights=hop, minlength=problem.num_vehicles)

    delivers = task >= problem.num_orders
    total = np.bincount(vehicle[delivers], minlength=problem.num_vehicles)
    earlier: Ints = np.cumsum(delivers) - delivers  # on this route and the routes before it
    still_to_come = np.cumsum(total)[vehicle] - earlier
    return np.asarray(length), float(hop @ still_to_come)
