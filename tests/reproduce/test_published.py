import csv

import pytest

from geopar.problems.setting import Setting
from geopar.reproduce.published import FOLDER, printed, statements
from geopar.reproduce.registry import names


def test_table_1_has_24_settings_of_all_methods() -> None:
    found = printed("table-1")
    assert len({line.set for line in found}) == 24
    assert len(found) == 116
    small = [line.method for line in found if line.set == "hcvrp/100/7"]
    assert small == ["SISRs", "GA", "SA", "AM", "2D-Ptr", "DPN", "PARCO", "GeoPAR"]


@pytest.mark.parametrize(
    ("experiment", "lines"),
    [("directions", 16), ("ablation", 16), ("assignment", 18), ("decoding", 12), ("ham", 8)],
)
def test_every_other_table_is_complete(experiment: str, lines: int) -> None:
    assert len(printed(experiment)) == lines


def test_every_experiment_has_something_published_and_nothing_is_without_one() -> None:
    for name in names():
        assert printed(name) or statements(name)
    for file in ("tables.csv", "statements.csv"):
        with (FOLDER / file).open(newline="") as lines:
            assert {line["experiment"] for line in csv.DictReader(lines)} <= set(names())


def test_gaps_are_those_of_the_objectives() -> None:
    """To the best of each setting; what was rounded differs by a few hundredths of a per cent."""
    found = printed("table-1")
    for line in found:
        best = min(other.values["objective"] for other in found if other.set == line.set)
        gap = 100 * (line.values["objective"] / best - 1)
        assert gap == pytest.approx(line.values["gap_percent"], abs=0.3, rel=0.002)


def test_utilisation_is_that_of_the_steps() -> None:
    """Nearly: GeoPool's 0.061 at 3000/240 would be 0.060 by its steps."""
    for line in printed("assignment"):
        setting = Setting.parse(line.set)
        share = setting.num_tasks / (setting.num_vehicles * line.values["steps"])
        assert share == pytest.approx(line.values["utilisation"], abs=1e-3)


def test_slots_are_those_of_the_windows() -> None:
    slots = {line.method: line.values["slots"] for line in printed("directions")}
    assert slots == {f"q={q}": 1 + 17 * q for q in (1, 2, 4, 8)}


def test_curves_without_numbers_are_named_without_a_value() -> None:
    assert {line.value for line in statements("recall")} == {None}
