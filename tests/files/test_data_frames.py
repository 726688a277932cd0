import sys

import numpy as np
import pandas as pd
import pytest

import geopar
from geopar.errors import InputError, MissingExtraError
from geopar.files.data_frames import from_pandas, schedule_to_pandas
from geopar.plan import Plan
from geopar.problems.day import Day
from instances import corridor, plan_of, square

VEHICLES = pd.DataFrame({"id": ["red", "blue"], "capacity": [2, 2], "speed": [1.0, 1.0]})


def stops() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": ["depot", "east", "north", "west", "south"],
            "x": [0.0, 1, 0, -1, 0],
            "y": [0.0, 0, 1, 0, -1],
            "demand": [np.nan, 1, 1, 1, 1],
        }
    )


def test_a_frame_is_read_as_its_table_would_be(tmp_path) -> None:
    stops().to_csv(tmp_path / "stops.csv", index=False)
    VEHICLES.to_csv(tmp_path / "vehicles.csv", index=False)
    by_file = geopar.read(tmp_path / "stops.csv", vehicles=tmp_path / "vehicles.csv")
    assert from_pandas(stops(), VEHICLES, name=by_file.name) == by_file


def test_indexes_have_no_meaning_and_further_columns_are_told_to_drivers() -> None:
    frame = stops().assign(phone=["", "1", None, pd.NA, "4"]).set_index(pd.Index(list("vwxyz")))
    problem = from_pandas(frame, VEHICLES, name="square")
    assert problem.details == {"phone": ("1", "", "", "4")}
    assert problem.replace(details={}) == square()


def test_the_top_level_has_it() -> None:
    assert geopar.from_pandas(stops(), VEHICLES, minimise="distance").goal == "distance"


def test_faults_are_those_of_tables_with_rows() -> None:
    frame = stops()
    frame.loc[2, "demand"] = -3
    frame["x"] = frame["x"].astype(object)
    frame.loc[3, "x"] = "far"
    with pytest.raises(InputError) as caught:
        from_pandas(frame, VEHICLES)
    assert {fault.code for fault in caught.value.faults} >= {"not-a-number"}
    assert "stops" in str(caught.value)


def test_what_is_no_frame_is_told_for_both() -> None:
    with pytest.raises(InputError) as caught:
        from_pandas([1, 2], "vehicles.csv")
    assert [fault.code for fault in caught.value.faults] == ["wrong-type"] * 2


def test_a_schedule_is_a_frame_with_clock_times_and_what_is_told() -> None:
    problem = square().replace(day=Day(clock="HH:MM"), details={"phone": ("1", "", "3", "")})
    plan = plan_of({"red": [["east", "north"]]})
    frame = schedule_to_pandas(problem, plan)
    assert frame["action"].tolist() == ["start", "serve", "serve", "end"]
    assert frame["arrival"].tolist()[1] == pytest.approx(1.0)
    assert frame["arrival_clock"].tolist()[:2] == ["00:00", "01:00"]
    assert frame["phone"].tolist()[1] == "1"


def test_without_a_clock_there_are_no_clock_times() -> None:
    frame = schedule_to_pandas(square(), plan_of({"red": [["east"]]}))
    assert "arrival_clock" not in frame


def test_a_plan_is_a_frame_even_if_it_is_empty() -> None:
    frame = plan_of({"red": [["east"], ["west"]], "blue": []}).to_pandas()
    assert frame.to_numpy().tolist() == [
        ["red", 1, 1, "east", "serve"],
        ["red", 2, 1, "west", "serve"],
    ]
    assert list(plan_of({"red": []}).to_pandas().columns) == list(frame.columns)
    stops = Plan.from_indices(corridor(), [[[0, 3]], []]).to_pandas()
    assert stops["action"].tolist() == ["pickup", "delivery"]


def test_without_pandas_a_way_out_is_told(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'geopar\[pandas\]'"):
        plan_of({"red": [["east"]]}).to_pandas()
