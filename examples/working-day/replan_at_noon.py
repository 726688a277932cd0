"""Plan a day; at noon a van breaks down, and the rest of the day is planned again."""

import argparse
from pathlib import Path

import geopar
from geopar.files import write_plan, write_problem
from geopar.replanning.changes import changes
from geopar.replanning.telling import change_line, standing

HERE = Path(__file__).parent
BROKEN = "van 2"


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

    # Where everybody is at noon; the goods of the broken van are back half an hour later.
    rest = geopar.rest_of_day(
        problem, morning.plan, "12:00", out_of_service=[BROKEN], goods_back="12:30"
    )
    assert rest.problem is not None
    print(f"\n{BROKEN} breaks down at noon; {rest.problem.num_tasks} stops are left.\n")
    for vehicle in standing(rest):
        print(f"{vehicle['vehicle']}: {vehicle['said']}")

    # What the plan of the morning has for the rest is mended first, and then improved.
    again = geopar.solve(rest.problem, stop, seed=1, start=rest.start)
    print(again)
    for change in changes(rest, again.plan):
        print(f"{change.vehicle}: {change_line(problem, change)}")
    report = geopar.check(rest.problem, again.plan)
    print(f"\nfeasible: {report.feasible}")
    write_problem(rest.problem, options.out / "afternoon-problem.json")
    write_plan(again.plan, options.out / "afternoon.json", rest.problem)
    write_plan(again.plan, options.out / "afternoon.csv", rest.problem)  # for the drivers


if __name__ == "__main__":
    main()
