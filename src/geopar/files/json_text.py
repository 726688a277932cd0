"""JSON text to Python values, with limits checked first and the place of every mistake."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from geopar.errors import Faults
from geopar.files.json_tables import cut_tables
from geopar.files.storage import MOST_BYTES, decode
from geopar.files.wording import shown
from geopar.problems.validation import MOST_TASKS

# A customer is one object of four fields, a dozen with windows and the like, an order three objects
# of more: so many brackets and commas a large problem needs, and not more. Counting them is fast;
# parsing them is not.
MOST_VALUES = 18 * MOST_TASKS
_TABLES = {"durations", "distances"}


def parse_json(data: bytes, name: str = "input") -> Any:
    """The value of a JSON text.

    Parameters
    ----------
    data
        UTF-8, with or without a byte order mark. Square tables of numbers in fields called
        ``durations`` or ``distances`` come back as arrays.
    name
        What faults call it: the file's name, for instance.

    Raises
    ------
    geopar.errors.InputError
        For text that is not JSON (with line and column), repeated fields, or too much of it.
    """
    faults = Faults()
    if len(data) <= MOST_BYTES:
        data, tables = cut_tables(data)
    values = data.count(b"{") + data.count(b"[") + data.count(b",")
    if len(data) > MOST_BYTES:
        limit = f"bytes are more than the limit of {MOST_BYTES:,}."
        faults.add("too-large", name, len(data), limit, "Split it up.")
    elif values > MOST_VALUES:
        limit = f"values are more than any problem of {MOST_TASKS:,} tasks needs."
        faults.add("too-large", name, values, limit, "Split it up.")
    faults.raise_if_any()
    text = decode(data, name)
    if not text.strip():
        faults.refuse("empty-file", name, ..., "is empty.", "Maybe it was not written to the end.")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            for key, times in Counter(key for key, _ in pairs).items():
                if times > 1:
                    faults.add(
                        "duplicate-field", name, shown(key),
                        f"stands {times} times in one object.", "Keep one of them.",
                    )  # fmt: skip
        for field in _TABLES & found.keys() if tables else ():
            if isinstance(found[field], str):
                found[field] = tables.get(found[field], found[field])
        return found

    try:
        value = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        faults.add(
            "bad-json", f"{name} line {error.lineno} column {error.colno}",
            text[error.pos : error.pos + 20] or ...,
            f"is not JSON: {error.msg}.", "Mend the text there.",
        )  # fmt: skip
    except RecursionError:
        faults.add(
            "too-deep", name, ..., "has brackets nested hundreds deep.",
            "A problem needs four levels.",
        )  # fmt: skip
    except ValueError:  # Python's guard against whole numbers of thousands of digits
        faults.add(
            "bad-json", name, ..., "has a whole number of more than 4,300 digits.",
            "Maybe a dot is missing.",
        )  # fmt: skip
    faults.raise_if_any()
    return value
