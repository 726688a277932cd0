"""Working days in tables: columns by the names that people use, CSV and spreadsheets."""

import io

import numpy as np
import openpyxl
import pytest
from hypothesis import given

from geopar.errors import Faults, InputError
from geopar.files import read_problem, write_problem
from geopar.files.problem_csv import problem_from_csv, problem_to_csv
from geopar.files.remarks import remarks
from geopar.files.spreadsheet import tables_from_xlsx, workbook_of
from geopar.problems.day import Day, windows_of
from random_days import problems_with_days

STOPS = """\
kind,id,name,Address,lat,lng,qty,service_minutes,open,close,Phone,required skills
depot,,,,52.5,13.4,,,06:00,22:00,,
,a,Baker,"1, Baker St",52.51,13.41,2,5,08:00,10:00,01 23,fridge
,b,School,,52.52,13.42,1,2.5,,,,
"""
VEHICLES = """\
id,capacity,speed_kmh,shift_start,shift_end,max_duration_hours,max_trips,skills,driver
van,10,30,07:00,15:30,8,,fridge; lift,Ann
bike,3,15,,,,2,,Bo
"""


def read(stops=STOPS, vehicles=VEHICLES, **top):
    return problem_from_csv(stops.encode(), vehicles.encode(), "", "stops.csv", "v.csv", top)


def test_an_ordinary_export():
    problem = read()
    day = problem.day
    assert (day.time_unit, day.clock) == ("minutes", "HH:MM")
    assert (day.opens, day.closes) == (360, 1320)
    assert day.service.tolist() == [5, 2.5]
    assert windows_of(day.windows, 0) == [(480, 600)]
    assert windows_of(day.windows, 1) == []
    assert day.available.tolist() == [[420, 930], [0, np.inf]]
    assert day.longest.tolist() == [480, np.inf]
    assert day.most_trips.tolist() == [np.inf, 2]
    assert day.allowed.tolist() == [[True, False], [True, True]]
    assert problem.demand.tolist() == [2, 1]
    assert problem.details == {
        "name": ("Baker", "School"), "Address": ("1, Baker St", ""), "Phone": ("01 23", ""),
    }  # fmt: skip
    assert problem.vehicle_details == {"driver": ("Ann", "Bo")}
    assert read(*problem_to_csv(problem)) == problem


def test_names_as_people_write_them():
    stops = STOPS.replace("open,close", "Time window from,Time window to")
    vehicles = VEHICLES.replace("id,capacity,speed_kmh", "Van,capacity,Speed km/h")
    assert read(stops, vehicles) == read()


def test_goods_on_board_are_found_by_the_customers_ids():
    vehicles = """\
id,capacity,speed,start_x,start_y,on_board
van,5,1,0.5,0.5,north; west
bike,5,1,,,
"""
    problem = read("id,x,y\ndepot,0,0\nwest,1,0\nsouth,2,0\nnorth,0,1\n", vehicles)
    assert [list(some) for some in problem.day.on_board] == [[2, 0], []]
    assert read(*problem_to_csv(problem)) == problem


def test_what_a_plan_needs_and_no_more():
    problem = read("id,x,y\ndepot,0,0\na,1,1\n", "speed\n1\n")
    assert problem.day is None
    assert problem.demand.tolist() == [0]
    assert problem.capacity.tolist() == [1e12]


@pytest.mark.parametrize(
    ("stops", "vehicles", "demand", "capacity"),
    [
        ("weight", "capacity", [[5]], [[9]]),
        ("weight_kg,volume", "max_weight,max_volume", [[5, 6]], [[9, 8]]),
        ("volume,weight", "capacity_kg", [[6, 5]], [[9, 1e12]]),
        ("demand,pallets", "capacity,pallets", [[5, 6]], [[9, 8]]),
    ],
)
def test_loads_by_name(stops, vehicles, demand, capacity):
    width = stops.count(",")
    problem = read(
        f"id,x,y,{stops}\ndepot,0,0,{',' * width}\na,1,1,{'5,6' if width else '5'}\n",
        f"speed,{vehicles}\n1,{'9,8' if ',' in vehicles else '9'}\n",
    )
    found = problem.demand[:, None], problem.capacity[:, None]
    if problem.day is not None:
        found = (
            np.hstack([found[0], problem.day.extra_demand]),
            np.hstack([found[1], problem.day.extra_capacity]),
        )
    assert found[0].tolist() == demand or found[0].tolist() == [sorted(demand[0])]
    assert found[1].tolist() == capacity


def test_a_fault_is_told_by_the_column_that_has_it():
    stops = STOPS.replace("08:00,10:00", "08:00,late").replace("2.5,,,", "2.5,12:00,09:00,")
    with pytest.raises(InputError) as error:
        read(stops, VEHICLES.replace("07:00,15:30", "07:00,five"))
    assert [(fault.code, fault.field) for fault in error.value.faults] == [
        ("not-a-time", "stops.csv line 3, close"),
        ("ends-before-it-begins", "stops.csv line 4, open"),
        ("not-a-time", "v.csv line 2, shift_end"),
    ]
    own = STOPS.replace("open,close", "windows,note").replace("08:00,10:00", "8:00/late,")
    with pytest.raises(InputError) as error:
        read(own)
    assert error.value.faults[0].field == "stops.csv line 3, windows[0][1]"


def test_several_windows_in_one_cell():
    stops = "id,x,y,windows\ndepot,0,0,\na,1,1,8:00-9:30; 10:00 to 11:00 | 14/15.5|16:00/\n"
    windows = read(stops, "speed\n1\n").day.windows
    assert windows_of(windows, 0) == [(8, 9.5), (10, 11), (14, 15.5), (16, np.inf)]


def test_own_starts_and_open_ends():
    vehicles = "speed,start_x,start_y,end\n1,3,4,open\n1,,,\n"
    problem = read("id,x,y\ndepot,0,0\na,1,1\n", vehicles)
    assert problem.homes.tolist() == [2, 1]
    assert problem.ends.tolist() == [-1, 1]
    without_depot = read("id,x,y\na,1,1\n", "speed,start_x,start_y\n1,3,4\n")
    assert not without_depot.day.has_depot


def test_orders_by_row_and_by_stop():
    by_order = (
        "id,pickup_x,pickup_y,delivery_x,delivery_y,pickup_service_minutes,delivery_close,"
        "size,released,delivery_note,Shop\no,0,0,1,1,3,19:00,2,18:00,ring,Kebab\n"
    )
    fleet = "id,x,y,capacity,shift_start\nv,0,0,3,17:00\n"
    problem = read(by_order, fleet)
    assert problem.day.service.tolist() == [3, 0]
    assert windows_of(problem.day.windows, 1) == [(-np.inf, 1140)]
    assert problem.day.released.tolist() == [1080, -1e12]
    assert problem.details == {"Shop": ("Kebab", "Kebab"), "note": ("", "ring")}
    assert read(*problem_to_csv(problem), time_unit="minutes") == problem


@pytest.mark.parametrize(
    ("stops", "vehicles", "code", "field"),
    [
        (STOPS.replace("08:00", "8am"), VEHICLES, "not-a-time", "stops.csv line 3, open"),
        (STOPS.replace("10:00", "07:00"), VEHICLES, "ends-before-it-begins", None),
        (STOPS.replace("2.5", "x"), VEHICLES, "not-a-number", "stops.csv line 4, service_minutes"),
        (STOPS, VEHICLES.replace("15:30", "06:30"), "ends-before-it-begins", None),
        (
            STOPS,
            VEHICLES.replace(",8,", ",-8,"),
            "out-of-range",
            "v.csv line 2, max_duration_hours",
        ),
    ],
)
def test_faults_have_the_names_of_the_file(stops, vehicles, code, field):
    with pytest.raises(InputError) as error:
        read(stops, vehicles)
    found = [(fault.code, fault.field) for fault in error.value.faults]
    assert code in [one for one, _ in found]
    assert field is None or any(one.startswith(field) for _, one in found)


def expressible(problem):
    """The problem with a day that two tables can say: no matrices, goal, locks, nothing empty."""
    if problem.day is None:
        return problem
    allowed = problem.day.allowed
    if allowed is not None:
        allowed = allowed | ~allowed.any(axis=1, keepdims=True)
    return problem.replace(
        day=problem.day.replace(
            matrices=None,
            profile=None,
            minimise=None,
            locked=None,
            on_board=None,
            allowed=allowed,
            clock=None,
        )
    )


@given(problems_with_days())
def test_what_tables_can_say_survives(problem):
    problem = expressible(problem)
    told = {name: [text.strip() for text in texts] for name, texts in problem.details.items()}
    drivers = {n: [text.strip() for text in t] for n, t in problem.vehicle_details.items()}
    problem = problem.replace(
        details={name: texts for name, texts in told.items() if any(texts)},
        vehicle_details={name: texts for name, texts in drivers.items() if any(texts)},
    )
    again = read(*problem_to_csv(problem))
    for name in ("service", "available", "longest", "priority", "released", "start", "end"):
        one, other = (p.day and getattr(p.day, name) for p in (problem, again))
        if one is not None and np.isfinite(one).any() and not (np.abs(one) == 1e12).all():
            assert np.array_equal(one, other, equal_nan=True), name
    assert again.details == problem.details
    assert np.array_equal(again.places, problem.places)


def test_what_tables_cannot_say():
    problem = read().replace(day=Day(minimise="distance", locked=[[[0]], []]))
    with pytest.raises(InputError) as error:
        problem_to_csv(problem)
    assert [fault.field for fault in error.value.faults] == ["minimise", "locked"]


def sheets(tmp_path, change=lambda book: None):
    book = openpyxl.Workbook()
    book.active.title = "Stops"
    for line in STOPS.replace(", ", " ").replace(",", ";").splitlines():
        book.active.append([cell.strip('"') for cell in line.split(";")])
    fleet = book.create_sheet("fleet")
    for line in VEHICLES.replace("; ", "|").splitlines():
        fleet.append(line.split(","))
    change(book)
    book.save(tmp_path / "day.xlsx")
    return tmp_path / "day.xlsx"


def test_a_spreadsheet_is_read_and_written(tmp_path):
    problem = read_problem(sheets(tmp_path))
    assert problem.name == "day"
    assert problem.replace(name="", details={}) == read().replace(details={})
    write_problem(problem, tmp_path / "again.xlsx")
    assert read_problem(tmp_path / "again.xlsx").replace(name="day") == problem
    (tmp_path / "again.xlsx").rename(tmp_path / "unnamed")
    assert read_problem(tmp_path / "unnamed").num_tasks == 2


def test_cells_of_every_type():
    from datetime import datetime, time, timedelta

    rows = [["a", 1.0, 2.5, True, None], [time(8, 30), datetime(2026, 11, 17), timedelta(hours=30)]]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("vehicles").append(["speed"])
    buffer = io.BytesIO()
    book.save(buffer)
    stops, _ = tables_from_xlsx(Faults(), buffer.getvalue(), "x")
    assert stops.header == ["a", "1", "2.5", "true"]
    assert stops.rows == [["08:30:00", "2026-11-17", "30:00:00"]]


def test_text_is_never_a_formula():
    book = openpyxl.load_workbook(io.BytesIO(workbook_of({"s": [["=1+1", "\x07bell", 2]]})))
    assert [cell.value for cell in next(book.active.rows)] == ["=1+1", "bell", 2]
    assert next(book.active.rows)[0].data_type in ("s", "inlineStr")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda book: book.active.merge_cells("A2:A3"), "merged-cells"),
        (lambda book: book.remove(book["fleet"]), "missing-sheet"),
        (lambda book: book["fleet"].delete_rows(1, 9), "empty-file"),
    ],
)
def test_spreadsheets_that_will_not_do(tmp_path, change, code):
    with pytest.raises(InputError) as error:
        read_problem(sheets(tmp_path, change))
    assert code in [fault.code for fault in error.value.faults]


@pytest.mark.parametrize("data", [b"PK\x03\x04junk", b"no zip at all"])
def test_no_spreadsheet_at_all(tmp_path, data):
    (tmp_path / "x.xlsx").write_bytes(data)
    with pytest.raises(InputError, match="bad-xlsx"):
        read_problem(tmp_path / "x.xlsx")


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_a_matrix_beside_the_problem(tmp_path, suffix):
    (tmp_path / "stops.csv").write_text("id,x,y\ndepot,0,0\na,1,1\n")
    (tmp_path / "vehicles.csv").write_text("id\nvan\n")
    path = tmp_path / f"matrix.{suffix}"
    if suffix == "csv":
        path.write_text("0;12,5\n13;0\n")
    else:
        np.savez(path, durations=np.array([[0, 12.5], [13, 0]]), distances=[[0, 1], [2, 0]])
    problem = read_problem(tmp_path / "stops.csv", matrix=path, time_unit="minutes")
    assert problem.travel.duration(0, 1, 0) == 12.5
    assert problem.travel.distance(0, 1) == (13 if suffix == "csv" else 2)
    assert problem.day.time_unit == "minutes"
    assert problem.speed.tolist() == [1]
    write_problem(problem, tmp_path / "p.json")
    again = read_problem(tmp_path / "p.json", matrix=path)
    assert again.replace(name=problem.name) == problem


@pytest.mark.parametrize(("column", "factor"), [("speed_kmh", 1), ("speed", 30)])
def test_beside_a_matrix_speeds_in_kmh_do_not_count(tmp_path, column, factor):
    (tmp_path / "stops.csv").write_text("id,lat,lng\ndepot,52,13\na,52.1,13.1\n")
    (tmp_path / "vehicles.csv").write_text(f"id,{column}\nvan,30\n")
    (tmp_path / "matrix.csv").write_text("0,12\n13,0\n")
    problem = read_problem(tmp_path / "stops.csv", matrix=tmp_path / "matrix.csv")
    assert problem.speed.tolist() == [factor]
    (told,) = [one for one in remarks(problem) if "round" not in one]
    assert "speed_kmh" in told if factor == 1 else "30 times as fast" in told


@pytest.mark.parametrize("text", ["1,2\n3\n", "a,b\n1,2\n", "0,\n1,0\n"])
def test_a_bad_matrix(tmp_path, text):
    (tmp_path / "stops.csv").write_text("id,x,y\ndepot,0,0\na,1,1\n")
    (tmp_path / "vehicles.csv").write_text("id\nvan\n")
    (tmp_path / "matrix.csv").write_text(text)
    with pytest.raises(InputError) as error:
        read_problem(tmp_path / "stops.csv", matrix=tmp_path / "matrix.csv")
    assert {fault.code for fault in error.value.faults} <= {
        "wrong-length", "not-a-number", "bad-travel",
    }  # fmt: skip


NAMED = """\
Name,Address,lat,lon,Parcels,kg
Depot,1 Dock Road,52.5,13.4,,
Baker,1 Baker St,52.51,13.41,2,14.5
School,,52.52,13.42,1,3
"""
ROOM = "id,capacity,max_weight,speed\nvan,10,100,30\n"


@pytest.mark.parametrize("name", ["Depot", " depot ", "DEPOT", "Depot Utrecht", "Depot (Hafen)"])
def test_the_depot_is_found_by_its_name(name):
    problem = read(NAMED.replace("Depot", name), ROOM)
    assert problem.depot.tolist() == [13.4, 52.5]
    assert problem.depot_details == {"Name": name.strip(), "Address": "1 Dock Road"}
    assert problem.details["Name"] == ("Baker", "School")


def test_without_ids_names_that_differ_are_the_ids():
    assert read(NAMED, ROOM).customer_ids == ("Baker", "School")
    assert read(NAMED.replace("School", "Baker"), ROOM).customer_ids == ("c1", "c2")
    assert read(NAMED.replace("School", ""), ROOM).customer_ids == ("c1", "c2")


def test_a_customer_that_is_called_after_a_depot_is_none():
    stops = NAMED.replace("School", "Depot Street 4")
    assert read(stops, ROOM).details["Name"] == ("Baker", "Depot Street 4")


def test_without_any_depot_the_hint_says_how():
    with pytest.raises(InputError, match=r'missing-depot.*id or name "depot"'):
        read(NAMED.replace("Depot", "Home"), ROOM)


def test_loads_keep_the_names_that_the_table_has():
    problem = read(NAMED, ROOM)
    assert problem.load_names == ("Parcels", "kg")
    assert problem.demand.tolist() == [2, 1]
    assert problem.day.extra_demand.tolist() == [[14.5], [3]]
    stops, vehicles = problem_to_csv(problem)
    assert "Parcels,kg" in stops
    assert read(stops, vehicles) == problem


def test_names_of_loads_that_no_table_has_are_left_behind():
    problem = read(NAMED, ROOM).replace(load_names=("crates", "litres"))
    assert read(*problem_to_csv(problem)).load_names == ("demand", "weight")


def test_the_depot_is_told_of_after_a_way_out_and_in():
    stops = "kind,id,address,x,y,demand\ndepot,W3,Dock 1,0,0,\ncustomer,a,,1,0,1\n"
    problem = read(stops, "capacity,speed\n3,1\n")
    assert problem.depot_details == {"address": "Dock 1", "name": "W3"}
    assert problem.load_names == ()
    assert read(*problem_to_csv(problem)) == problem


def refusal(**tables):
    with pytest.raises(InputError) as error:
        read(**tables)
    return [(fault.code, fault.field, fault.hint) for fault in error.value.faults]


def test_a_dot_between_times_of_day_is_asked_about():
    assert refusal(stops=STOPS.replace("08:00,10:00", "8.30,10.00")) == [
        ("ambiguous-time", f"stops.csv line 3, {column}", f"Write {time}, or all of the column as "
         "numbers.")
        for column, time in (("open", "8:30"), ("close", "10:00"))
    ]  # fmt: skip
    fault, *_ = refusal(vehicles=VEHICLES.replace("15:30", "15.30"))
    assert fault[:2] == ("ambiguous-time", "v.csv line 2, shift_end")
    spans = STOPS.replace("open,close", "windows,note").replace("08:00,10:00", "8.30/10:00; 14/16,")
    (fault,) = refusal(stops=spans.replace("06:00,22:00", ","))
    assert fault[:2] == ("ambiguous-time", "stops.csv line 3, windows")


def test_a_dot_in_a_column_of_numbers_is_a_number():
    stops = STOPS.replace("08:00,10:00", "8.30,10.15").replace("06:00,22:00", "6,22")
    assert windows_of(read(stops=stops, time_unit="hours").day.windows, 0) == [(8.3, 10.15)]


def test_an_empty_capacity_is_refused_or_said_where_there_are_several():
    (fault,) = refusal(vehicles=VEHICLES.replace("bike,3,", "bike,,"))
    assert fault[:2] == ("missing-field", "v.csv line 3, capacity")
    stops = (
        STOPS.replace("kind,id", "kg,kind,id").replace("\n,a", "\n5,,a").replace("\n,b", "\n7,,b")
    )
    stops = stops.replace("\ndepot", "\n,depot")
    vehicles = VEHICLES.replace("id,", "kg,id,").replace("\nvan", "\n100,van")
    problem = read(stops, vehicles.replace("\nbike", "\n,bike"))
    assert problem.load_names == ("qty", "kg")
    assert "No capacity of kg is given for bike, as others have one: taken as no limit." in remarks(
        problem
    )


def test_a_dot_in_the_hours_of_the_depot_is_asked_about():
    (fault,) = refusal(stops=STOPS.replace("06:00,22:00", "6.30,22:00"))
    assert fault[:2] == ("ambiguous-time", "stops.csv line 2, open")
