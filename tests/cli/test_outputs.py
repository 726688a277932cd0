import io

import pytest
from rich.table import Table

from geopar.cli import outputs


def test_tables_are_not_cut_where_no_window_limits_them(capsys) -> None:
    table = Table(*(f"a long heading {i}" for i in range(6)))
    table.add_row(*"123456")
    outputs.show(table)
    assert "…" not in capsys.readouterr().out


def test_json_is_plain_text_on_one_line(capsys) -> None:
    outputs.print_json({"id": "Zürich", "list": [1, 2]})
    assert capsys.readouterr().out == '{"id": "Z\\u00fcrich", "list": [1, 2]}\n'


def test_json_has_no_numbers_that_json_does_not_have() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        outputs.print_json({"objective": float("inf")})


def test_messages_go_to_stderr(capsys) -> None:
    outputs.say("hello")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "hello\n")
    assert isinstance(io.StringIO(printed.err).read(), str)
