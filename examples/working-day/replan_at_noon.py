"""Plan a day; at noon a van breaks down, and the rest of the day is planned again."""

import argparse
from pathlib import Path

import numpy as np

import geopar
from geopar.files import write_plan
from geopar.problems.day import Matrix

HERE = Path(__file__).parent
NOON, REPAIRED = 12 * 60.0, 12.5 * 60.0  # minutes; when the goods of the broken van are back
BROKEN = "van 2"


def at_noon(problem: geopar.HCVRP, result: geopar.Result) -> geopar.HCVRP:
    """What is left to do, by whom, from where.

    A vehicle that is out goes on from its last stop with what it has on board. The goods of the
    broken van are back at the depot half an hour later.
    """
    done, start, free, on_board = set[int](), {}, {}, {}
    late: set[int] = set()
    for v, table in enumerate(result.timetables):
        for trip in table.trips:
            tasks = [visit for visit in trip if visit.task is not None]
            begun = [visit for visit in tasks if visit.arrival + visit.waiting <= NOON]
            done |= {visit.task for visit in begun}
            rest = [visit.task for visit in tasks if visit not in begun]
            if begun and rest and problem.vehicle_ids[v] != BROKEN:
                start[v], free[v] = begun[-1].task, begun[-1].departure
                on_board[v] = rest
            elif begun and rest:
                late |= set(rest)
            elif begun:  # on the way home, or there
                free[v] = max(NOON, trip[-1].departure if trip[-1].task is None else NOON)
    stops = [c for c in range(problem.num_tasks) if c not in done]
    fleet = [v for v, name in enumerate(problem.vehicle_ids) if name != BROKEN]
    part = problem.select(stops, fleet)
    number = {old: new for new, old in enumerate(stops)}
    places = np.array([problem.customers[start[v]] if v in start else [np.nan] * 2 for v in fleet])
    available = part.day.available.copy()
    available[:, 0] = [max(NOON, free.get(v, NOON)) for v in fleet]
    released = np.full(len(stops), -1e12)
    released[[number[c] for c in late]] = REPAIRED
    # Matrices get a row for each place from which somebody goes on.
    rows = np.array([0, *(c + 1 for c in stops), *(start[v] + 1 for v in fleet if v in start)])
    day = problem.day.replace(
        matrices={
            name: Matrix(*(table[np.ix_(rows, rows)] for table in tables))
            for name, tables in problem.day.matrices.items()
        },
        **{name: getattr(part.day, name) for name in ("service", "windows", "allowed", "longest")},
        profile=part.day.profile, available=available, released=released, start=places,
        on_board=[[number[c] for c in on_board.get(v, [])] for v in fleet],
    )  # fmt: skip
    return part.replace(day=day, name=f"{problem.name}, from noon")


def main() -> None:
    """Plan, break down, plan again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--out", type=Path, default=Path("day"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    stop = geopar.MaxRuntime(options.seconds)

    problem = geopar.read(HERE / "deliveries.json")
    morning = geopar.solve(problem, stop, seed=1)
    print(morning)

    afternoon = at_noon(problem, morning)
    print(f"\n{BROKEN} breaks down at noon; {afternoon.num_tasks} stops are left.\n")
    # The plan of the morning is mended first, and then improved.
    again = geopar.solve(afternoon, stop, seed=1, start=morning.plan)
    print(again)
    for one in again.left_out:
        print("left out:", one)
    report = geopar.check(afternoon, again.plan)
    print(f"\nfeasible: {report.feasible}")
    write_plan(again.plan, options.out / "afternoon.json", afternoon)
    write_plan(again.plan, options.out / "afternoon.csv", afternoon)  # for the drivers


if __name__ == "__main__":
    main()
