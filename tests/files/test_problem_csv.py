from pathlib import Path

import numpy as np
import pytest

from geopar.errors import InputError
from geopar.files.problem_csv import problem_from_csv, problem_to_csv, vehicles_path
from geopar.problems import HCVRP, OMDCPDP

STOPS = "kind,id,x,y,demand\ndepot,,0.5,0.5,\ncustomer,a,0,1,3\ncustomer,b,0.25,0.001,2.5\n"
VEHICLES = "id,capacity,speed\n7,4,0.5\n8,5,1\n"
PLAIN = HCVRP(
    (0.5, 0.5), [(0, 1), (0.25, 1e-3)], [3, 2.5], [4, 5], [0.5, 1], ["a", "b"], ["7", "8"]
)
ORDERS = "order,action,x,y\no,pickup,0,1\np,pickup,1,2\np,delivery,3,4\no,delivery,5,6\n"
COURIERS = "id,x,y,capacity\nv,1,1,3\n"


def read(stops=STOPS, vehicles=VEHICLES):
    return problem_from_csv(stops.encode(), vehicles.encode(), "", "stops.csv", "vehicles.csv")


def faults(stops=STOPS, vehicles=VEHICLES):
    with pytest.raises(InputError) as error:
        read(stops, vehicles)
    return [(fault.code, fault.field) for fault in error.value.faults]


def test_hcvrp_is_read():
    assert read() == PLAIN


def test_written_as_it_was_read():
    assert read(*problem_to_csv(PLAIN)) == PLAIN


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace(",", ";").replace(".", ","),
        lambda text: text.upper().replace("A,", "a,").replace("B,", "b,"),
        lambda text: '"' + text.strip().replace(",", '","').replace("\n", '"\n"') + '"\n',
        lambda text: text.replace("\n", ",,\n").replace("demand,,", "demand"),
        lambda text: text.replace(",x,y", ", x , y"),
        lambda text: text.replace("kind", "Type"),
    ],
    ids=["mark", "crlf", "blank lines", "semicolon", "tab", "decimal comma", "case", "quotes",
         "trailing commas", "spaces", "alias"],
)  # fmt: skip
def test_dialects(change):
    assert read(change(STOPS)) == PLAIN


def test_columns_in_any_order_and_the_depot_anywhere():
    stops = "y,x,demand,id,kind\n1,0,3,a,\n0.5,0.5,0,home,Depot\n0.001,0.25,2.5,b,customer\n"
    assert read(stops) == PLAIN.replace(depot_details={"name": "home"})


def test_without_kind_the_id_says_depot():
    assert read("id,x,y,demand\na,0,1,3\nDepot,.5,.5,\nb,0.25,1e-3,2.5\n") == PLAIN


def test_a_customer_may_be_called_depot_where_there_are_kinds():
    problem = PLAIN.replace(customer_ids=("depot", 'a"b,c\r\nd'))
    assert read(*problem_to_csv(problem)) == problem


def test_without_ids_they_are_numbered():
    problem = read("kind,x,y,demand\ndepot,0,0,\n,1,1,1\n", "capacity,speed\n1,1\n")
    assert (problem.customer_ids, problem.vehicle_ids) == (("c1",), ("v1",))


ORDERS_PROBLEM = OMDCPDP([(0, 1), (1, 2)], [(5, 6), (3, 4)], [(1, 1)], [3], ["o", "p"], ["v"])


def test_omdcpdp_by_stop():
    assert read(ORDERS, COURIERS) == ORDERS_PROBLEM
    assert read(*problem_to_csv(ORDERS_PROBLEM)) == ORDERS_PROBLEM


@pytest.mark.parametrize("key", ["id", "order"])
def test_omdcpdp_by_order(key):
    rows = f"{key},pickup_x,pickup_y,delivery_x,delivery_y\no,0,1,5,6\np,1,2,3,4\n"
    assert read(rows, COURIERS) == ORDERS_PROBLEM


def test_longitudes():
    problem = ORDERS_PROBLEM.replace(coordinates="lonlat")
    assert read(*problem_to_csv(problem)) == problem
    named = ORDERS.replace(",x,y", ",Longitude,latitude"), COURIERS.replace(",x,y", ",lng,lat")
    assert read(*named) == problem
    depot = PLAIN.replace(coordinates="lonlat")
    assert read(*problem_to_csv(depot)) == depot


def test_addresses_and_decimal_commas_are_told_what_to_do():
    def hints(stops):
        with pytest.raises(InputError) as error:
            read(stops)
        return [fault.hint for fault in error.value.faults]

    found = hints("id,Street address,demand\ndepot,Quay 1,\na,High Street 2,1\n")
    assert [
        hint.startswith("Addresses are not looked up: add columns lat and lon.") for hint in found
    ] == [True, True]
    assert not hints(STOPS.replace(",y", ",why"))[0].startswith("Addresses")
    assert hints(STOPS.replace("2.5", '"2,5"')) == ["Write it with a point."]
    assert hints(STOPS.replace("2.5", "two")) == ["Give a plain number such as 0.5."]


@pytest.mark.parametrize(
    ("stops", "expected"),
    [
        (STOPS.replace("2.5", ""), ("missing-field", "stops.csv line 4, demand")),
        (STOPS.replace("2.5", "two"), ("not-a-number", "stops.csv line 4, demand")),
        (STOPS.replace("2.5", "1_0"), ("not-a-number", "stops.csv line 4, demand")),
        (STOPS.replace("2.5", "-2"), ("out-of-range", "stops.csv line 4, demand")),
        (STOPS.replace("2.5", "nan"), ("not-finite", "stops.csv line 4, demand")),
        (STOPS.replace("0.25", "1e999"), ("not-finite", "stops.csv line 4, x")),
        (STOPS.replace("2.5", "9"), ("demand-over-capacity", "stops.csv line 4, demand")),
        (STOPS.replace("b,", "a,"), ("duplicate-id", "stops.csv line 4, id")),
        (STOPS.replace("b,", ","), ("empty-id", "stops.csv line 4, id")),
        (STOPS.replace(",y", ",why"), ("missing-field", "stops.csv column y")),
        (STOPS.replace("customer,b", "shop,b"), ("unknown-value", "stops.csv line 4, kind")),
        (STOPS.replace("depot", "customer"), ("missing-field", "stops.csv line 2, demand")),
        (STOPS.replace("customer,b", "depot,b"), ("missing-depot", "stops.csv")),
        (STOPS.replace("0.5,0.5,", "0.5,0.5,4"), ("out-of-range", "stops.csv line 2, demand")),
        (STOPS.replace("2.5", "2.5,7"), ("wrong-length", "stops.csv line 4")),
        (STOPS.replace("0.5,0.5", "inf,0.5"), ("not-finite", "stops.csv line 2, x")),
        (STOPS.replace("y", "lat"), ("mixed-coordinates", "stops.csv")),
        (STOPS.replace("x,y", "x,x"), ("duplicate-field", "stops.csv column")),
        ("kind,id,x,y,demand\ndepot,,0,0,\n", ("empty", "stops.csv")),
        ("id,x,y,demand\na,0,0,1\n", ("missing-depot", "stops.csv")),
        ('kind,id,x,y,demand\n"open', ("bad-csv", "stops.csv line 2")),
        (f"kind,id,x,y,demand\n{'x' * 200_000}", ("bad-csv", "stops.csv line 2")),
        ("\ufeff\n", ("empty-file", "stops.csv")),
    ],
)
def test_faults_in_stops(stops, expected):
    assert expected in faults(stops)


@pytest.mark.parametrize(
    ("vehicles", "expected"),
    [
        ("id,capacity,speed\n", ("empty", "vehicles.csv")),
        ("id,capacity,speed\n1,4,0\n", ("out-of-range", "vehicles.csv line 2, speed")),
        ("id,capacity\n1,4\n", ("missing-field", "vehicles.csv column speed")),
        (VEHICLES.replace("8", "7"), ("duplicate-id", "vehicles.csv line 3, id")),
        ("id,capacity,speed\n1,4,1\n1,5,1,x", ("wrong-length", "vehicles.csv line 3")),
        ("id,capacity,sped\n1,4,1\n", ("missing-field", "vehicles.csv column speed")),
    ],
)
def test_faults_in_vehicles(vehicles, expected):
    assert expected in faults(vehicles=vehicles)


@pytest.mark.parametrize(
    ("stops", "expected"),
    [
        (ORDERS.replace("o,delivery,5,6\n", ""), ("unmatched-order", "stops.csv line 2, order")),
        (ORDERS.replace("p,delivery", "o,delivery"), ("duplicate-stop", "stops.csv line 5, order")),
        (ORDERS.replace("p,delivery", "p,drop"), ("unknown-value", "stops.csv line 4, action")),
        (ORDERS.replace("p,delivery", ",delivery"), ("empty-id", "stops.csv line 4, order")),
        (ORDERS.replace("3,4", "3,nan"), ("not-finite", "stops.csv line 4, y")),
        (ORDERS.replace("action", "actoin"), ("missing-field", "stops.csv column action")),
        ("order,action,x,y\n", ("empty", "stops.csv")),
        ("id,pickup_x,pickup_y,delivery_x\no,1,1,1\n",
         ("missing-field", "stops.csv column delivery_y")),
        ("id,pickup_x,pickup_y,delivery_x,delivery_y\no,1,1,1,inf\n",
         ("not-finite", "stops.csv line 2, delivery_y")),
    ],
)  # fmt: skip
def test_faults_in_orders(stops, expected):
    assert expected in faults(stops, COURIERS)


def test_faults_of_both_files_are_told_together():
    found = faults(STOPS.replace("2.5", "two"), VEHICLES.replace("0.5", "-1"))
    assert found == [
        ("not-a-number", "stops.csv line 4, demand"),
        ("out-of-range", "vehicles.csv line 2, speed"),
    ]


def test_too_many_lines_are_refused_before_parsing():
    with pytest.raises(InputError, match=r"too-large.*2,000,000"):
        read("\n" * 2_000_001)


def test_too_many_rows_are_refused_early():
    with pytest.raises(InputError, match=r"too-many.*100,000"):
        read(vehicles="capacity,speed\n" + "1,1\n" * 100_001)


@pytest.mark.parametrize(
    ("stops", "vehicles"),
    [
        ("stops.csv", "vehicles.csv"),
        ("a/city_Stops.csv", "a/city_vehicles.csv"),
        ("city.csv", "city.vehicles.csv"),
    ],
)
def test_where_the_vehicles_are(stops, vehicles):
    assert vehicles_path(Path(stops)) == Path(vehicles)


def test_numbers_survive_to_the_bit():
    problem = PLAIN.replace(customers=[(0.1 + 0.2, -0.0), (5e-324, 1 / 3)])
    assert read(*problem_to_csv(problem)).customers.tobytes() == problem.customers.tobytes()
    assert np.signbit(read(*problem_to_csv(problem)).customers[0, 1])
