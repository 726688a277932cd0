import pytest

from geopar.errors import InputError
from geopar.files import json_text
from geopar.files.json_text import parse_json


def fault(data):
    with pytest.raises(InputError) as error:
        parse_json(data, "city.json")
    return error.value.faults[0]


def test_values_come_back():
    assert parse_json(b'\xef\xbb\xbf{"a": [1, 2.5, "x"]}') == {"a": [1, 2.5, "x"]}


def test_line_and_column_of_a_mistake():
    found = fault(b'{"a": 1,\n "b" 2}')
    assert (found.code, found.field) == ("bad-json", "city.json line 2 column 6")
    assert found.value == repr("2}")


@pytest.mark.parametrize("data", [b"{", b"nothing", b"[1,]", b'{"a": 01}', b'"open', b"\0\0"])
def test_wrong_json(data):
    assert fault(data).code == "bad-json"


@pytest.mark.parametrize("data", [b"", b"  ", b"\xef\xbb\xbf"])
def test_nothing_at_all(data):
    assert fault(data).code == "empty-file"


def test_binary_junk():
    assert fault(b"\x89PNG\r\n").code == "not-text"


def test_deep_nesting():
    assert fault(b"[" * 100_000 + b"]" * 100_000).code == "too-deep"


def test_whole_number_of_five_thousand_digits():
    found = fault(b'{"x": ' + b"9" * 5000 + b"}")
    assert found.code == "bad-json"
    assert "4,300 digits" in found.message


def test_repeated_fields_are_told_with_their_name():
    with pytest.raises(InputError) as error:
        parse_json(b'{"x": 1, "x": 2, "y": {"z": 1, "z": 1, "z": 1}}')
    assert [(f.code, f.value) for f in error.value.faults] == [
        ("duplicate-field", "'z'"), ("duplicate-field", "'x'"),
    ]  # fmt: skip


def test_ten_million_tasks_are_refused_before_parsing(monkeypatch):
    monkeypatch.setattr(json_text.json, "loads", lambda *_, **__: pytest.fail("was parsed"))
    found = fault(b'{"customers":[' + b'{"x":0},' * 10_000_000)
    assert found.code == "too-large"
    assert "1,000,000 tasks" in found.message


def test_too_many_bytes_are_refused_before_parsing(monkeypatch):
    monkeypatch.setattr(json_text, "MOST_BYTES", 10)
    found = fault(b'{"name": "long"}')
    assert found.code == "too-large"
    assert "limit of 10" in found.message
