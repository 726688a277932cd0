"""What people call their columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.files.table_names import (
    DURATIONS,
    STOPS,
    VEHICLES,
    Meaning,
    is_of_straight_lines,
    meaning,
    meant,
)


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("Latitude", "lat", None),
        (" Time Window Start ", "window_from", None),
        ("due-date", "window_to", None),
        ("service_minutes", "service", "minutes"),
        ("Service Time (s)", None, None),
        ("service time s", "service", "seconds"),
        ("pickup.lng", "pickup_lon", None),
        ("pickup_service_min", "pickup_service", "minutes"),
        ("QTY", "demand", None),
        ("kg", "weight", None),
        ("loading_h", "loading", "hours"),
        ("priority_minutes", None, None),
        ("minutes", None, None),
        ("phone", None, None),
        ("", None, None),
    ],
)
def test_columns_of_stops(header, name, unit):
    assert meaning(header, STOPS) == (None if name is None else Meaning(name, unit))


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("Truck", "id", None),
        ("max load", "capacity", None),
        ("km/h", "speed", None),
        ("longest_hours", "longest", "hours"),
        ("max_duration_min", "longest", "minutes"),
        ("start_lat", "start_lat", None),
        ("End Longitude", "end_lon", None),
        ("open", "shift_start", None),
    ],
)
def test_columns_of_vehicles(header, name, unit):
    assert meaning(header, VEHICLES) == Meaning(name, unit)


@given(st.sampled_from(sorted(STOPS)), st.sampled_from("_ -."), st.booleans(), st.booleans())
def test_spelling_does_not_matter(header, between, is_loud, is_wide):
    spelt = header.replace("_", between)
    spelt = spelt.upper() if is_loud else spelt
    spelt = f"  {spelt}\t" if is_wide else spelt
    assert meaning(spelt, STOPS) == Meaning(STOPS[header])


@given(st.sampled_from([*STOPS.items()]), st.sampled_from(["min", "hours", "sec"]))
def test_only_durations_have_units(known, unit):
    header, name = known
    found = meaning(f"{header}_{unit}", STOPS)
    assert (found is not None) == (name.rpartition("_")[2] in DURATIONS)


@pytest.mark.parametrize("names", [STOPS, VEHICLES])
def test_every_meaning_is_also_a_name_of_itself(names):
    assert {name for name in names.values() if names.get(name) != name} == set()


@pytest.mark.parametrize(
    ("header", "known"),
    [("capcity", "capacity"), ("prioritty", "priority"), ("demand", None), ("xx", None),
     ("telephone", None)],
)  # fmt: skip
def test_what_was_probably_meant(header, known):
    assert meant(header) == known


def test_speeds_of_straight_lines():
    assert is_of_straight_lines("Speed km/h")
    assert is_of_straight_lines("speed_kmh")
    assert not is_of_straight_lines("speed")
