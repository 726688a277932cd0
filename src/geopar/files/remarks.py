"""What is allowed and yet worth a word before planning: roads that bend, stops out of reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geopar.files.table_names import meant
from geopar.files.table_remarks import kept_remarks
from geopar.problems import HCVRP, Problem
from geopar.problems.day import Bools, Day, Matrix
from geopar.problems.travel import Floats
from geopar.problems.validation import LARGEST_NUMBER

SAMPLE = 20_000
MOST_PAIRS = 5_000_000
_SLACK = 1e-9
# Shorter by less than this share is what rounding does.
_WORTH_A_WORD = 0.02
# Nobody is so many times as fast as a matrix says.
_ODD_FACTOR = 4.0


def remarks(problem: Problem) -> list[str]:
    """In a sentence each; none for a plain problem."""
    day, found = problem.day, [*_kept(problem), *kept_remarks(problem)]
    has_load = not isinstance(problem, HCVRP) or problem.demand.any()
    if not has_load and problem.capacity.min() < LARGEST_NUMBER:
        found.append("No customer has a demand, so capacities do not count.")
    elif has_load:
        found += _unlimited(problem)
    if day is None:
        return found
    return [
        *found, *_loads_of_nobody(problem, day), *_factors(problem, day), *_detours(day),
        *_out_of_reach(problem, day),
    ]  # fmt: skip


def _kept(problem: Problem) -> list[str]:
    names = [*problem.details, *problem.vehicle_details, *problem.details_of_depot()]
    if not names:
        return []
    likes = {one: meant(one) for one in names}
    found = [
        f"{one} is known to nobody here, so it does not count in planning. Maybe {like}."
        for one, like in likes.items()
        if like
    ]
    return [*found, f"Kept for drivers, no part of planning: {', '.join(likes)}."]


def _unlimited(problem: Problem) -> list[str]:
    """Vehicles that may carry any amount: maybe a cell was forgotten, or a column."""
    day = problem.day
    more = None if day is None else day.extra_capacity
    room = problem.capacity[:, None] if more is None else np.column_stack([problem.capacity, more])
    named = problem.load_names or ["load", *(f"dimension {k + 2} of load" for k in range(99))]
    found = []
    for at, (name, column) in enumerate(zip(named, (room >= LARGEST_NUMBER).T, strict=False)):
        if column.all() and _loads(problem)[at]:
            found.append(
                f"No vehicle has a capacity of {name}, and there is some to carry: taken as no "
                "limit. Maybe its column has another name."
            )
        elif column.any() and not column.all():
            who = _some(problem.vehicle_ids, np.flatnonzero(column).tolist())
            found.append(
                f"No capacity of {name} is given for {who}, as others have one: taken as no limit."
            )
    return found


def _loads(problem: Problem) -> list[bool]:
    """Whether anybody says what there is to carry, in each dimension of load."""
    day = problem.day
    if isinstance(problem, HCVRP):
        first = bool(problem.demand.any())
    else:
        # Each order is one where nobody says anything.
        first = day is not None and day.size is not None and bool((day.size != 1).any())
    more = None if day is None else day.extra_demand
    columns = [] if more is None else list(more.T)
    return [first, *(bool(column.any()) for column in columns)]


def _some(ids: Sequence[str], which: list[int]) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(which) - 5} more" if len(which) > 5 else ""
    return ", ".join(ids[one] for one in which[:5]) + more


def _loads_of_nobody(problem: Problem, day: Day) -> list[str]:
    """Further capacities of vehicles, such as a weight, that no stop has any of."""
    if day.extra_demand is None or day.extra_capacity is None:
        return []
    unused = ~day.extra_demand.any(axis=0) & (day.extra_capacity.min(axis=0) < LARGEST_NUMBER)
    named = problem.load_names[1:] or [f"dimension {k + 2} of load" for k in range(len(unused))]
    return [
        f"Vehicles have limits of {named[k]}, but no stop has any: maybe its column has another "
        "name."
        for k in np.flatnonzero(unused)
    ]


def _factors(problem: Problem, day: Day) -> list[str]:
    """Speeds that look as if they were those of straight lines."""
    far_off = np.flatnonzero(np.abs(np.log(problem.speeds)) > np.log(_ODD_FACTOR))
    if day.matrices is None or not len(far_off) or all(map(_at_speed_one, day.matrices.values())):
        return []
    vehicle = int(far_off[0])
    return [
        f"Vehicle {problem.vehicle_ids[vehicle]} drives {problem.speeds[vehicle]:g} times as fast"
        " as its matrix says: beside matrices a speed is a factor. Leave it out if it is another."
    ]


def _at_speed_one(matrix: Matrix) -> bool:
    """Whether times are what lengths take at one speed, as great circles have them."""
    lengths, times = matrix.distances[0], matrix.durations[0]
    if matrix.distances is matrix.durations or not times.any():
        return False
    return bool(np.allclose(times * lengths.sum(), lengths * times.sum(), rtol=1e-6))


def _detours(day: Day) -> list[str]:
    """Matrices in which going round is shorter, looked for in a sample."""
    found = []
    rng = np.random.default_rng(0)
    for name, matrix in (day.matrices or {}).items():
        table = matrix.durations
        i, j, k = rng.integers(len(table), size=(3, SAMPLE))
        apart = (i != j) & (j != k) & (i != k)
        i, j, k = i[apart], j[apart], k[apart]
        longer = table[i, k] - (table[i, j] + table[j, k])
        shorter_round = longer > _WORTH_A_WORD * table[i, k]
        if not shorter_round.any():
            continue
        worst = int(longer.argmax())
        a, b, c = (int(one[worst]) for one in (i, j, k))
        found.append(
            f"Matrix {name}: going round is shorter in {100 * shorter_round.mean():.1g} % of a"
            f" sample, such as from row {a} by {b} to {c} ({table[a, b] + table[b, c]:g} instead"
            f" of {table[a, c]:g}). Plans drive from stop to stop as the matrix has it."
        )
    return found


def _out_of_reach(problem: Problem, day: Day) -> list[str]:
    """Stops that nobody may serve, or that nobody reaches before their last window is over."""
    found = []
    tasks, requests = problem.num_tasks, len(problem.request_ids)
    allowed = day.allowed
    if allowed is not None:
        nobody = np.flatnonzero(~allowed.any(axis=1)).tolist()
        found += _named(problem, nobody, "may be served by no vehicle")
    if day.windows is None or tasks * problem.num_vehicles > MOST_PAIRS:
        return found
    given = day.windows.offset[1:] > day.windows.offset[:-1]
    last = np.full(tasks, np.inf)
    last[given] = day.windows.closes[day.windows.offset[1:][given] - 1]
    who = np.ones((requests, problem.num_vehicles), dtype=np.bool_) if allowed is None else allowed
    # The second task of an order is its delivery, no earlier than its pickup.
    first = _earliest(problem, day, np.tile(who, (tasks // requests, 1)))
    late = np.flatnonzero((first > last + _SLACK) & np.isfinite(first)) % requests
    return found + _named(problem, sorted(set(late.tolist())), "is reached in time by nobody")


def _earliest(problem: Problem, day: Day, who: Bools) -> Floats:
    """When anybody who may could be at each task, at the very best: straight there."""
    places, earliest = np.arange(problem.num_tasks), np.full(problem.num_tasks, np.inf)
    for vehicle, home in enumerate(problem.homes.tolist()):
        leaves = 0.0 if day.available is None else float(day.available[vehicle, 0])
        if problem.comes_home and day.has_depot and not (day.on_board and day.on_board[vehicle]):
            leaves = max(leaves, day.opens) + day.loading
        left = np.full(problem.num_tasks, leaves)
        if day.released is not None:
            left = np.maximum(left, day.released)
        origin = np.full(problem.num_tasks, home)
        arrival = left + problem.travel.duration(vehicle, origin, places)
        earliest = np.where(who[:, vehicle], np.minimum(earliest, arrival), earliest)
    return earliest


def _named(problem: Problem, requests: list[int], what: str) -> list[str]:
    if not requests:
        return []
    who = _some(problem.request_ids, requests)
    return [f"{problem.named.capitalize()} {who} {what} and will be left out."]
