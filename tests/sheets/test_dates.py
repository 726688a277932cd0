from datetime import date

import pytest

from geopar.errors import Faults, InputError
from geopar.problems.day import Day
from geopar.sheets import sheet_bytes
from geopar.sheets.dates import heading_of, read_date
from instances import plan_of, square

PLAN = plan_of({"red": [["east", "north"]], "blue": [["west", "south"]]})
THURSDAY = date(2026, 11, 19)


def test_a_date_as_it_is_written():
    faults = Faults()
    assert read_date(faults, "--date", "2026-11-19") == THURSDAY
    assert read_date(faults, "--date", None) is None
    assert not faults


@pytest.mark.parametrize("value", ["19.11.2026", "tomorrow", "2026-13-01", 20261119, ""])
def test_no_date(value):
    faults = Faults()
    assert read_date(faults, "--date", value) is None
    with pytest.raises(InputError, match="not-a-time"):
        faults.raise_if_any()


def test_it_stands_beside_the_name():
    by_clock = square().replace(day=Day(clock="HH:MM"))
    assert heading_of(by_clock, THURSDAY) == "square · Thursday, 19 November 2026"
    assert heading_of(by_clock, None) == "square"
    assert heading_of(square(), THURSDAY) == "square · Thursday, 19 November 2026"


def test_times_with_dates_need_none():
    dated = square().replace(day=Day(clock="2026-11-18"))
    assert b"18 November 2026" in sheet_bytes(dated, PLAN)
    with pytest.raises(InputError, match=r"unused-option.*2026-11-19"):
        sheet_bytes(dated, PLAN, date=THURSDAY)
