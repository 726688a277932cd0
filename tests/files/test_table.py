import numpy as np
import pytest

from geopar.errors import Faults, InputError
from geopar.files.table import parse_table, table_text


def parse(text):
    return parse_table(Faults(), text.encode(), "t.csv")


def test_columns_and_places():
    table = parse('A;"b c";LNG\n\n1,5;x;2\n"multi\nline";y;3\n')
    assert table.header == ["a", "b c", "lon"]
    assert table.texts("b c") == ["x", "y"]
    np.testing.assert_array_equal(table.numbers("a", [0]), [1.5])
    assert table.at(0, "a") == "t.csv line 3, a"
    assert "lon" in table
    assert "lat" not in table


def test_short_rows_are_filled_and_long_ones_told():
    table = parse("a,b\n1\n1,2,,\n1,2,3\n")
    assert table.texts("a") == ["1", "1", "1"]
    assert table.texts("b") == ["", "2", "2"]
    assert [(f.code, f.field) for f in table.faults.found] == [("wrong-length", "t.csv line 4")]


def test_missing_columns_read_as_holes():
    np.testing.assert_array_equal(parse("a\n1\n").numbers("speed", [0]), [1.0])


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


def test_of_many_unknown_columns_a_few_are_looked_up(monkeypatch):
    looked_up = []
    monkeypatch.setattr(
        "geopar.files.table.maybe", lambda name, known, taken: looked_up.append(name) or "?"
    )
    table = parse(",".join(f"c{i}" for i in range(10_000)) + "\n1\n")
    table.check_columns(("demand",))
    assert len(looked_up) == 5
    assert len(table.faults.found) == 6


def test_short_rows_take_no_room_for_what_they_lack():
    table = parse(",".join(f"c{i}" for i in range(1000)) + "\n1\n" * 100)
    assert sum(map(len, table.rows)) == 100
    assert table.texts("c999") == [""] * 100
