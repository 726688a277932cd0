from datetime import date, datetime, time, timedelta

import numpy as np
import pytest

from geopar.files.cell_text import cell_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (3.0, "3"),
        (0.5, "0.5"),
        (np.float64(4.0), "4"),
        (np.int64(7), "7"),
        (True, "true"),
        (np.bool_(False), "false"),
        (datetime(2026, 11, 17, 8, 30), "2026-11-17T08:30:00"),
        (datetime(2026, 11, 17), "2026-11-17"),
        (date(2026, 11, 17), "2026-11-17"),
        (time(8, 30), "08:30:00"),
        (timedelta(hours=26, minutes=5), "26:05:00"),
        ("van 1", "van 1"),
    ],
)
def test_cells_are_what_csv_would_have(value, text) -> None:
    assert cell_text(value) == text
