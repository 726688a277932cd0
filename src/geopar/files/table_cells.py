"""From the objects of JSON to the cells of tables: what :mod:`geopar.files.table_rows` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from geopar.errors import Faults
from geopar.files.table_names import DURATIONS, LOADS, STOPS, meaning
from geopar.files.wording import shown

Cells = list[list[Any]]


def cells_of(
    faults: Faults,
    rows: Sequence[Mapping[str, Any]],
    unit: str,
    names: Mapping[str, str],
    loads: Sequence[str] = (),
) -> Cells:
    """A header and a row of cells for each object; what no cell can say is noted.

    ``loads`` are the columns of loads, :data:`LOADS` in their order when left out.
    """
    flat = [_flat(faults, row, unit, names, loads) for row in rows]
    header = list(dict.fromkeys(name for row in flat for name in row))
    if unit != "hours" and not any(name.endswith(f"_{unit}") for name in header):
        header.append(f"{DURATIONS[0]}_{unit}")  # says the unit, and nothing else
    return [header, *([row.get(name, "") for name in header] for row in flat)]


def load_columns(loads: Sequence[str]) -> tuple[list[str], list[str]]:
    """Which columns of stops and of vehicles say loads of these names; none where none do."""
    found = [meaning(name, STOPS) for name in loads]
    meant = [one.name for one in found if one is not None and one.name in LOADS]
    # Tables have their loads in one order, and a reader finds them in that one.
    if len(meant) < len(loads) or meant != [one for one in LOADS if one in meant]:
        return [], []
    room = ["capacity" if len(meant) == 1 or one == "demand" else one for one in meant]
    return list(loads), room


def _flat(
    faults: Faults,
    row: Mapping[str, Any],
    unit: str,
    names: Mapping[str, str],
    loads: Sequence[str],
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in row.items():
        if name == "details":
            for one, text in value.items():
                if meaning(one, names) is not None or one in found:
                    hint = "Give it another name, or write JSON."
                    what = "means something else in a table."
                    faults.add("not-expressible", "details", shown(one), what, hint)
                found[one] = text
        elif name in ("demand", "capacity") and isinstance(value, list):
            if len(value) > len(LOADS):
                what = f"dimensions; a table has at most {len(LOADS)}."
                faults.add("not-expressible", name, len(value), what, "Write JSON instead.")
            found |= dict(zip(loads or (name, *LOADS[1:]), value, strict=False))
        elif name in ("demand", "capacity") and loads:
            found[loads[0]] = _cell(value)
        elif name in ("start", "end"):
            found |= {f"{name}_{axis}": x for axis, x in value.items()} if value else {name: "open"}
        elif name == "available":
            found |= dict(zip(("shift_start", "shift_end"), map(_cell, value or ()), strict=False))
        elif name == "windows":
            spans = ("/".join(str(_cell(side)) for side in span) for span in value or ())
            found[name] = "; ".join(spans)
        elif name in DURATIONS and unit != "hours":
            found[f"{name}_{unit}"] = _cell(value)
        elif isinstance(value, list):
            found[name] = _listed(faults, name, value)
        else:
            found[name] = _cell(value)
    return found


def _cell(value: Any) -> Any:
    return "" if value is None else value


def _listed(faults: Faults, name: str, value: list[Any]) -> str:
    if not all(isinstance(one, str) and not set(one) & set(";|") and one.strip() for one in value):
        what = "has no form in a table."
        faults.add("not-expressible", name, shown(value), what, "Write JSON instead.")
        return ""
    return "; ".join(value)
