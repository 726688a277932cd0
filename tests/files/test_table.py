import pytest

from geopar.errors import Faults, InputError
from geopar.files.table import parse_table, table_text
from geopar.files.table_names import STOPS, meaning


def parse(text):
    return parse_table(Faults(), text.encode(), "t.csv")


def test_columns_and_places():
    table = parse('A;"b c";LNG;Service Minutes\n\n1,5;x;2\n"multi\nline";y;3\n')
    assert table.header == ["A", "b c", "LNG", "Service Minutes"]
    table.understand(STOPS | {"a": "demand"})
    assert table.numbers("demand", [0]) == [1.5]
    assert table.at(0, "demand") == "t.csv line 3, A"
    assert "lon" in table
    assert "lat" not in table
    assert table.units == {"service": "minutes"}
    assert table.further == {"b c": 1}


def test_of_two_names_for_one_thing_the_second_is_passed_on():
    table = parse("lat,latitude\n1,2\n")
    table.understand(STOPS)
    assert table.further == {"latitude": 1}


def test_of_many_columns_each_is_looked_at_once(monkeypatch):
    looked_up = []

    def counted(name, names):
        looked_up.append(name)
        return meaning(name, names)

    monkeypatch.setattr("geopar.files.table.meaning", counted)
    table = parse(",".join(f"c{i}" for i in range(50_000)) + "\n1\n")
    table.understand(STOPS)
    table.check_columns(("demand",), ("demand", "x", "y"))
    assert len(looked_up) == len(table.further) == 50_000
    (fault,) = table.faults.found
    assert fault.code == "missing-field"
    assert len(fault.message + fault.hint) < 2000


def test_short_rows_are_filled_and_long_ones_told():
    table = parse("a,b\n1\n1,2,,\n1,2,3\n")
    assert table.texts("a") == ["1", "1", "1"]
    assert table.texts("b") == ["", "2", "2"]
    assert [(f.code, f.field) for f in table.faults.found] == [("wrong-length", "t.csv line 4")]


def test_a_decimal_comma_needs_semicolons():
    table = parse('a,b\n"1,5",2\n')
    table.numbers("a", [0])
    assert [fault.code for fault in table.faults.found] == ["not-a-number"]


@pytest.mark.parametrize("text", ["\n\n", " , \n"])
def test_no_header(text):
    with pytest.raises(InputError, match="empty-file"):
        parse(text)


def test_written_cells_come_back():
    cells = ['quote"', "comma,", "line\r\nbreak", "\r", "", " space "]
    table = parse(table_text(["name", "number"], [(cell, 1 / 3) for cell in cells]))
    assert table.texts("name") == cells
    assert table.numbers("number", [0])[0] == 1 / 3


def test_the_hint_has_all_that_is_known_and_all_that_is_there():
    table = parse("a,b\n1,2\n")
    table.check_columns(("x", "a"), ("x", "y"))
    (fault,) = table.faults.found
    assert fault.field == "t.csv column x"
    assert fault.hint == "The header has: a, b. Known: x, y."


def test_short_rows_take_no_room_for_what_they_lack():
    table = parse(",".join(f"c{i}" for i in range(1000)) + "\n1\n" * 100)
    assert sum(map(len, table.rows)) == 100
    assert table.texts("c999") == [""] * 100
