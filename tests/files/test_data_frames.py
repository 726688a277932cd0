import numpy as np
import pandas as pd
import pytest

import geopar
from geopar.errors import InputError
from geopar.files.data_frames import from_pandas
from instances import square

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
