"""The names that people give their columns, and what each of them means here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

from geopar.problems.day import TimeUnit

_UNITS: dict[str, TimeUnit] = {
    "hours": "hours", "hour": "hours", "hrs": "hours", "h": "hours",
    "minutes": "minutes", "minute": "minutes", "mins": "minutes", "min": "minutes",
    "seconds": "seconds", "second": "seconds", "secs": "seconds", "sec": "seconds",
    "s": "seconds",
}  # fmt: skip
# Durations, whose unit may be part of the name: service_minutes.
DURATIONS = ("service", "loading", "longest")
LOADS = ("demand", "weight", "volume", "pallets")
# Names are alike from this share of common letters on, as difflib counts it.
LIKE = 0.8

_PLACES = {
    "x": "x", "y": "y", "lat": "lat", "latitude": "lat",
    "lon": "lon", "lng": "lon", "long": "lon", "longitude": "lon",
}  # fmt: skip
_OF_LOADS = {
    "demand": ("demand", "quantity", "qty", "amount", "load", "units", "parcels"),
    "weight": ("weight", "weight_kg", "kg"),
    "volume": ("volume", "volume_m3", "m3"),
    "pallets": ("pallets",),
}
_OF_STOPS = {
    "service": ("service", "service_time", "service_duration", "stop_time", "unloading"),
    "window_from": (
        "window_from", "window_start", "open", "opens", "opening", "earliest", "ready_time",
        "tw_start", "tw_from", "time_from", "time_window_from", "time_window_start",
    ),
    "window_to": (
        "window_to", "window_end", "close", "closes", "closing", "latest", "due_time", "due_date",
        "tw_end", "tw_to", "time_to", "time_window_to", "time_window_end",
    ),
    "windows": ("windows", "time_windows"),
}  # fmt: skip
_OF_REQUESTS = {
    "released": ("released", "release", "release_time"),
    "priority": ("priority",),
    "vehicles": ("vehicles", "allowed_vehicles"),
    "needs": ("needs", "required_skills", "skills"),
    "size": ("size",),
}
_OF_VEHICLES = {
    "id": ("id", "vehicle_id", "vehicle", "van", "truck"),
    "capacity": ("capacity", "max_load"),
    "weight": ("weight", "max_weight", "weight_capacity", "capacity_weight", "capacity_kg", "kg",
               "payload", "weight_kg"),
    "volume": ("volume", "max_volume", "volume_capacity", "capacity_volume", "capacity_m3", "m3",
               "volume_m3"),
    "pallets": ("pallets", "max_pallets", "capacity_pallets"),
    "speed": ("speed", "speed_kmh", "kmh", "speed_km/h", "km/h"),
    "profile": ("profile",),
    "shift_start": ("shift_start", "available_from", "start_time", "time_from", "opens", "open"),
    "shift_end": ("shift_end", "available_to", "end_time", "time_to", "closes", "close"),
    "longest": ("longest", "max_duration", "max_time"),
    "most_trips": ("most_trips", "max_trips", "trips"),
    "skills": ("skills",),
    "on_board": ("on_board",),
    "end": ("end",),
}  # fmt: skip


def _turned(*groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {one: name for group in groups for name, names in group.items() for one in names}


_ENDS = {
    f"{end}_{one}": f"{end}_{name}"
    for end in ("pickup", "delivery")
    for one, name in (_PLACES | _turned(_OF_STOPS)).items()
}
STOPS: dict[str, str] = (
    {"kind": "kind", "type": "kind", "id": "id", "stop_id": "id", "customer_id": "id"}
    | {"order": "order", "order_id": "order", "action": "action", "loading": "loading"}
    | _PLACES
    | _ENDS
    | _turned(_OF_LOADS, _OF_STOPS, _OF_REQUESTS)
)
VEHICLES: dict[str, str] = (
    _PLACES
    | _turned(_OF_VEHICLES)
    | {f"{end}_{one}": f"{end}_{name}" for end in ("start", "end") for one, name in _PLACES.items()}
)

_PLANE_OR_DEGREES = "x and y or lat and lon"
KNOWN_STOPS = (
    _PLANE_OR_DEGREES, "kind", "id", *LOADS, *_OF_STOPS, *(one for one in _OF_REQUESTS),
    "loading; others are kept for the driver",
)  # fmt: skip
KNOWN_ORDERS = (
    "order, action and x, y or lat, lon (or pickup_x, … delivery_y)", *_OF_STOPS, *_OF_REQUESTS,
    "others are kept for the driver",
)  # fmt: skip
KNOWN_VEHICLES = (
    *_OF_VEHICLES, "start_x", "start_y", "end_x", "end_y (or lat, lon)",
    "others are kept for the driver",
)  # fmt: skip


class Meaning(NamedTuple):
    """What a column is here, and its unit where the name says it."""

    name: str
    unit: TimeUnit | None = None


def is_of_straight_lines(header: str) -> bool:
    """Whether a column has speeds in km/h, which are no factors of what a matrix says."""
    return _plain(header).endswith(("kmh", "km/h"))


def meant(header: str) -> str | None:
    """The known name that one of no meaning resembles, if there is any."""
    plain = _plain(header)
    close = get_close_matches(plain, {**STOPS, **VEHICLES}, 1, LIKE) if len(plain) > 3 else []
    return close[0] if close and close[0] != plain else None


def _plain(header: str) -> str:
    return re.sub(r"[\s.\-]+", "_", header.strip().lower())


def meaning(header: str, names: Mapping[str, str]) -> Meaning | None:
    """What a column of that name is; None for one that is only passed on."""
    plain = _plain(header)
    if plain in names:
        return Meaning(names[plain])
    base, _, last = plain.rpartition("_")
    name = names.get(base)
    if name is not None and name.rpartition("_")[2] in DURATIONS and last in _UNITS:
        return Meaning(name, _UNITS[last])
    return None
