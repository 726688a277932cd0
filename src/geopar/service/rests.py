"""Of which day a job plans the rest, so that whoever opens it can be told what it changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geopar.errors import Faults
from geopar.files.wording import shown

# Of an id; those that are made here are shorter.
LONGEST_ID = 40
FIELDS = ("job", "now", "out_of_service", "goods_back", "cancelled", "vehicles")


def read_rest_of(faults: Faults, value: Any) -> dict[str, Any] | None:
    """Reads ``{"job", "now", ...}``: the job of the day, and what ``/replan`` was asked with.

    ``vehicles`` are those of the day: what is left of them keeps its colours.
    """
    if value is None:
        return None
    if isinstance(value, Mapping) and _is_whole(value):
        return {name: value[name] for name in FIELDS if value.get(name) is not None}
    faults.add(
        "wrong-type", "rest_of", shown(value),
        "must be an object with the id of a job and the moment now.",
        f"It may have {', '.join(FIELDS[2:-1])} as well, as /replan has them, and vehicles.",
    )  # fmt: skip
    return None


def _is_whole(value: Mapping[str, Any]) -> bool:
    job, now, back = (value.get(name) for name in ("job", "now", "goods_back"))
    lists = [value.get(name) or [] for name in ("out_of_service", "cancelled", "vehicles")]
    return (
        isinstance(job, str)
        and 0 < len(job) <= LONGEST_ID
        and _is_time(now)
        and (back is None or _is_time(back))
        and all(isinstance(some, list) and all(isinstance(n, str) for n in some) for some in lists)
        and not value.keys() - set(FIELDS)
    )


def _is_time(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
