"""Tables of numbers out of JSON text, before it is parsed.

A matrix of 5,000 places has 25 million numbers. As Python objects they would take a gigabyte; read
row by row into an array, a fifth of it.
"""

from __future__ import annotations

import json
import re
import secrets

import numpy as np

from geopar.problems.validation import Floats

_FIELD = re.compile(rb'"(?:durations|distances)"\s*:\s*(?=\[\s*\[)')
_NEXT_ROW = re.compile(rb"\s*,\s*\[")
_END = re.compile(rb"\s*\]")
_OF_NUMBERS = b"0123456789+-.eE, \t\r\n"


def cut_tables(data: bytes) -> tuple[bytes, dict[str, Floats]]:
    """The text with a mark in the place of each table, and the tables by their marks.

    What is no table of equally long rows of numbers stays in the text, for a parser that can say
    what is wrong with it.
    """
    mark = secrets.token_hex(8)
    pieces, tables, done = [], dict[str, Floats](), 0
    for match in _FIELD.finditer(data):
        found = _table(data, match.end())
        if found is None:
            continue
        table, end = found
        name = f"{mark}{len(tables)}"
        tables[name] = table
        # Lines stay where they are, for messages.
        lines = b"\n" * data.count(b"\n", match.end(), end)
        pieces += [data[done : match.end()], b'"', name.encode(), b'"', lines]
        done = end
    return b"".join([*pieces, data[done:]]) if tables else data, tables


def _table(data: bytes, start: int) -> tuple[Floats, int] | None:
    """The table that begins there, and where it ends."""
    begin = data.index(b"[", start + 1) + 1
    table, row = np.zeros((0, 0)), 0
    while True:
        end = data.find(b"]", begin)
        numbers = _row(data[begin:end])
        if end < 0 or numbers is None:
            return None
        if row == 0:
            table = np.empty((len(numbers), len(numbers)))
        if row == len(table) or len(numbers) != len(table):
            return None
        table[row] = numbers
        row += 1
        if match := _NEXT_ROW.match(data, end + 1):
            begin = match.end()
        elif match := _END.match(data, end + 1):
            return (table, match.end()) if row == len(table) else None
        else:
            return None


def _row(text: bytes) -> Floats | None:
    if text.translate(None, _OF_NUMBERS):
        return None
    try:
        return np.array(json.loads(b"[" + text + b"]"), dtype=np.float64)
    except (ValueError, OverflowError):
        return None
