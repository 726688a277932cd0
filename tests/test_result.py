from dataclasses import replace

import numpy as np
import pytest

from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.day import Day
from geopar.result import MOST_ROWS_SHOWN, balance, number
from geopar.solver import Outcome
from geopar.solving import judge, solve
from geopar.stop import MaxIterations


def result_of(problem, routes, **more):
    return judge(problem, Outcome(Plan.from_indices(problem, routes), **more), "by hand", seed=1)


def test_rows_of_trips(square: HCVRP) -> None:
    red, blue = result_of(square, [[[0, 1], [2]], [[3]]]).vehicles
    assert red[:4] == ("red", 2, 3, 3.0)
    assert red.finish == pytest.approx(4 + 2**0.5)
    assert red.share == 1.0
    assert blue[:5] == ("blue", 1, 1, 1.0, 2.0)
    assert blue.share == pytest.approx(2 / (4 + 2**0.5))


def test_rows_of_orders_have_the_most_on_board(corridor: OMDCPDP) -> None:
    left, right = result_of(corridor, [[[0, 1, 3, 4]], [[2, 5]]]).vehicles
    assert (left.tasks, left.load, left.finish) == (4, 2, 6.0)
    assert (right.tasks, right.load, right.finish) == (2, 1, 2.0)


def test_a_vehicle_without_a_route_has_a_row(square: HCVRP) -> None:
    plan = Plan.from_indices(square, [[[0, 1], [2, 3]], []])
    without = Plan("hcvrp", plan.routes[:1])
    idle = judge(square, Outcome(without), "by hand", 0).vehicles[1]
    assert idle == ("blue", 0, 0, 0.0, 0.0, 0.0)


def test_balance() -> None:
    assert balance(np.array([2.0, 2.0])) == 1.0
    assert balance(np.array([4.0, 0.0])) == 0.5
    assert balance(np.zeros(3)) == 1.0


def test_it_prints_itself(square: HCVRP) -> None:
    text = str(result_of(square, [[[0, 1]], [[2, 3]]], iterations=1234, notes=("half budget",)))
    for part in ("red", "blue", "3.4142", "100%", "by hand", "1,234 iterations", "half budget"):
        assert part in text


def test_units_are_said(town: HCVRP, island: OMDCPDP) -> None:
    assert "finish (h)" in str(result_of(town, [[], [[0, 1], [2, 3], [4]]]))
    assert "finish (km)" in str(result_of(island, [[[0, 3, 1, 4, 2, 5]], []]))


def test_ids_are_shown_as_they_are(square: HCVRP) -> None:
    problem = square.replace(vehicle_ids=["[red]van", "[/bold]:car:"])
    text = str(result_of(problem, [[[0, 1]], [[2, 3]]]))
    assert "[red]van" in text
    assert "[/bold]:car:" in text


def test_a_large_fleet_is_told_by_those_who_finish_last() -> None:
    m = MOST_ROWS_SHOWN + 1
    problem = HCVRP((0, 0), [(i + 1, 0) for i in range(m)], [1] * m, [1] * m, [1] * m)
    text = str(result_of(problem, [[[i]] for i in range(m)]))
    assert f"v{m} " in text
    assert "v1 " not in text
    assert f"{MOST_ROWS_SHOWN} of {m}" in text


def test_steps_violations_and_an_interrupt_are_told(square: HCVRP) -> None:
    result = replace(result_of(square, [[[0, 1, 2]], [[3]]], steps=12), interrupted=True)
    text = str(result)
    for part in ("12 steps", "violated   [overload]", "stopped by the user", "inf"):
        assert part in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0000"),
        (3.14159265, "3.1416"),
        (12345.678, "12,346"),
        (1234567.8, "1,234,568"),
        (0.000123456, "0.00012346"),
        (float("inf"), "inf"),
        (1e-9, "1e-09"),
        (1.5e15, "1.5e+15"),
    ],
)
def test_numbers_for_people(value: float, text: str) -> None:
    assert number(value) == text


def test_a_schedule_begins_when_vehicles_set_out(square: HCVRP) -> None:
    problem = square.replace(day=Day(available=[(8, 20)] * 2, loading=0.5))
    schedule = result_of(problem, [[[0, 1]], [[2, 3]]]).schedule
    rows = [(row.vehicle, row.action, row.departure) for row in schedule[:2]]
    assert rows == [("red", "start", 8.5), ("red", "serve", 9.5)]


def test_a_result_is_short_in_a_console_and_shows_itself_in_a_notebook(square):
    result = solve(square, MaxIterations(50), solver="refine")
    assert len(repr(result)) < 80
    assert "refine: makespan" in repr(result)
    shown = result._repr_html_()
    assert shown.count("<polyline") == sum(len(route.trips) for route in result.plan.routes)
    assert "<td>red</td>" in shown
    assert shown.count("<svg") == 2
    assert shown.count("<title>") == square.num_tasks
    assert "balance" in shown


def test_a_plot_comes_back_and_is_written(square, tmp_path):
    result = solve(square, MaxIterations(50), solver="refine")
    assert len(result.plot().axes) == 2
    result.plot(tmp_path / "plan.png")
    assert (tmp_path / "plan.png").stat().st_size > 1000


def test_the_schedule_has_clock_times_where_the_day_has_them(square: HCVRP) -> None:
    routes = [[[0]], [[1]]]
    dated = square.replace(day=Day(clock="2026-11-17T00:00:00", available=[(8, 12), (8, 12)]))
    rows = result_of(dated, routes).schedule
    assert (rows[1].arrival, rows[1].arrival_clock) == (9.0, "2026-11-17T09:00")
    assert rows[0].departure_clock == "2026-11-17T08:00"
    plain = result_of(square, routes)
    assert plain.schedule[0].arrival_clock is None
    assert all("arrival_clock" not in row for row in plain.to_json()["schedule"])


def test_a_result_is_a_data_frame(square: HCVRP) -> None:
    result = result_of(square, [[[0, 1], [2]], [[3]]])
    frame = result.to_pandas()
    assert frame["arrival"].tolist() == [row.arrival for row in result.schedule]
    assert frame["vehicle"].tolist() == [row.vehicle for row in result.schedule]
