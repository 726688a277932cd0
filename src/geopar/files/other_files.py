"""Files that are something else than they are taken for: said so, with where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geopar.errors import Faults
from geopar.files.table_names import STOPS, VEHICLES, meaning

# What only `geopar sheet` writes of a plan.
SHEETS = ("gpx", "html")
_REQUESTS = ("customers", "orders", "depot")
# Columns that only vehicles have, and those that only stops have.
_OF_FLEETS = frozenset({"capacity", "speed", "longest", "most_trips", "profile"})
_OF_STOPS = frozenset({"demand", "kind", "order", "action", "service", "size"})


def check_no_fleet(faults: Faults, name: str, header: Sequence[str]) -> None:
    """Refuse a table of vehicles where stops are expected.

    Raises
    ------
    geopar.errors.InputError
        At once: nothing else that could be said of it would help.
    """
    as_fleet, as_stops = (
        {found.name for one in header if (found := meaning(one, names)) is not None}
        for names in (VEHICLES, STOPS)
    )
    ends = any(one.startswith(("pickup_", "delivery_")) for one in as_stops)
    if as_fleet & _OF_FLEETS and not as_stops & _OF_STOPS and not ends:
        what = "is a table of vehicles; the problem is the table of stops."
        hint = f"Name the stops first: stops.csv --vehicles {name}."
        faults.refuse("wrong-type", name, ..., what, hint)


def check_no_other_json(faults: Faults, name: str, value: Any) -> None:
    """Refuse a plan, or vehicles alone, where a problem is expected.

    Raises
    ------
    geopar.errors.InputError
        At once.
    """
    vehicles = value
    if isinstance(value, dict):
        if any(one in value for one in _REQUESTS):
            return
        if "routes" in value:
            hint = f"Name the problem that it is for; to begin with it: --start {name}."
            faults.refuse("wrong-type", name, ..., "is a plan, and no problem.", hint)
        vehicles = value.get("vehicles") if "problem" not in value else None
    if isinstance(vehicles, list) and vehicles and all(map(_is_vehicle, vehicles)):
        what = "has vehicles, and nothing to do for them."
        hint = 'Put them into the problem, as its field "vehicles".'
        faults.refuse("wrong-type", name, ..., what, hint)


def _is_vehicle(value: Any) -> bool:
    return isinstance(value, dict) and any(one in value for one in ("capacity", "speed", "profile"))


def suffix_hint(suffix: str, known: Sequence[str]) -> str:
    """With which suffix plans are written, or what writes them with this one."""
    ends = f"End the name in .{', .'.join(known)}."
    if suffix.lower().removeprefix(".") in SHEETS:
        return f"{ends} From a plan in JSON, geopar sheet writes {suffix}."
    return ends
