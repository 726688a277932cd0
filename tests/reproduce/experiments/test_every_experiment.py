"""What holds for all experiments: lines, labels, and what is published beside them."""

import pytest

from geopar.problems.setting import Setting
from geopar.reproduce.experiment import Context, Entry, Line
from geopar.reproduce.experiments import (
    ablation,
    assignment,
    density,
    directions,
    ham,
    speed_up,
    table_1,
)
from geopar.reproduce.published import printed
from geopar.reproduce.registry import find
from geopar.reproduce.scale import FULL, QUICK
from geopar.reproduce.store import Measured

CONTEXT = Context(QUICK)


@pytest.mark.parametrize("experiment", find(["all"]), ids=lambda one: one.name)
def test_lines_are_settings_with_a_subject_or_a_reason(experiment) -> None:
    lines = experiment.lines(CONTEXT)
    assert lines
    for line in lines:
        Setting.parse(line.set)
        assert line.subject is not None or line.note


@pytest.mark.parametrize(
    "experiment", find(["table-1", "directions", "ablation", "assignment", "decoding",
                        "ham"]), ids=lambda one: one.name,
)  # fmt: skip
def test_every_published_line_of_a_table_has_one_of_ours(experiment) -> None:
    ours = {(line.set, line.method) for line in experiment.lines(CONTEXT)}
    assert {(line.set, line.method) for line in printed(experiment.name)} <= ours
    published = experiment.published()
    assert {(line.set, line.method) for line in printed(experiment.name)} <= set(published)


@pytest.mark.parametrize(
    ("experiment", "module", "method"),
    [("directions", directions, "q=2"), ("ablation", ablation, "+CA"),
     ("assignment", assignment, "GeoPool")],
)  # fmt: skip
def test_variants_without_weights_are_labelled(monkeypatch, experiment, module, method) -> None:
    monkeypatch.setattr(module, "is_installed", lambda kind, name: name == "parco")
    (one,) = find([experiment])
    lines = [line for line in one.lines(CONTEXT) if line.method == method]
    assert lines
    assert all("at decoding only" in line.note for line in lines)


@pytest.mark.parametrize(
    ("experiment", "module", "method"),
    [("ablation", ablation, "+PWin"), ("assignment", assignment, "PWin-only")],
)
def test_what_nothing_stands_for_is_not_measured(monkeypatch, experiment, module, method) -> None:
    monkeypatch.setattr(module, "is_installed", lambda kind, name: False)
    (one,) = find([experiment])
    lines = [line for line in one.lines(CONTEXT) if line.method == method]
    assert all(line.subject is None and "not measured" in line.note for line in lines)


@pytest.mark.parametrize(
    ("module", "ours", "theirs"),
    [(ablation, ablation.WITHOUT_BRANCH, "GeoPAR"), (assignment, assignment.DECODED, "Full CA"),
     (directions, directions.AGAIN, "q=4"), (table_1, "GeoPAR, ca", "GeoPAR")],
)  # fmt: skip
def test_a_line_that_the_paper_has_not_stands_beside_one_that_it_has(module, ours, theirs) -> None:
    published = module.EXPERIMENT.published()
    sets = {name for name, method in published if method == theirs}
    assert sets
    assert all(published[name, ours] == published[name, theirs] for name in sets)


def test_density_goes_to_20000_for_both_problems() -> None:
    names = {line.set for line in density.lines(Context(FULL))}
    assert {"hcvrp/20000/2000", "omdcpdp/20000/400"} <= names
    quick = [Setting.parse(line.set) for line in density.lines(CONTEXT)]
    assert max(setting.num_tasks for setting in quick) <= QUICK.largest


def entry(experiment, name: str, method: str, values: dict[str, float]) -> Entry:
    line = next(x for x in experiment.lines(CONTEXT) if (x.set, x.method) == (name, method))
    published = experiment.published().get((name, method), {})
    return Entry(line, Measured(values), published)


def test_utilisation() -> None:
    one = entry(assignment.EXPERIMENT, "hcvrp/1000/20", "Full CA", {"steps": 100.0})
    (derived,) = assignment.derive([one])
    assert derived.values["utilisation"] == 0.5


@pytest.mark.parametrize(("method", "slots"), [("q=8", 137), (directions.AGAIN, 69)])
def test_slots(method, slots) -> None:
    line = Line("hcvrp/3000/120", method, None)
    published = directions.EXPERIMENT.published()[line.set, line.method]
    (derived,) = directions.derive([Entry(line, Measured({"steps": 100.0}), published)])
    assert derived.values["slots"] == derived.published["slots"] == slots


def test_gap_of_ham() -> None:
    values = {"HAM": {"objective": 300.0}, "GeoPAR": {"objective": 100.0}}
    found = [entry(ham.EXPERIMENT, "omdcpdp/1000/20", m, v) for m, v in values.items()]
    assert ham.derive(found)[0].values["gap_percent"] == pytest.approx(200.0)


def test_speed_up_is_over_the_same_set() -> None:
    values = {"GeoPAR": {"seconds": 2.0}, "PARCO": {"seconds": 9.0}, "2D-Ptr": {}}
    name = "hcvrp/5000/400"
    found = [entry(speed_up.EXPERIMENT, name, m, v) for m, v in values.items()]
    derived = speed_up.derive(found)
    assert derived[1].values["speed_up"] == 4.5
    assert "speed_up" not in derived[2].values
    assert derived[1].published["speed_up"] == pytest.approx(19.02 / 1.98)
    parco, other = speed_up.summary(derived)
    assert "4.5 here, over 1 settings; 7.5 in the paper" in parco
    assert "not measured" in other


def test_the_papers_speed_up_is_not_that_of_its_own_table() -> None:
    published = speed_up.published()
    mean = {
        m: sum(published[n, m]["speed_up"] for n in speed_up.sets()) / 8 for m in speed_up.OTHERS
    }
    assert mean["PARCO"] == pytest.approx(6.2, abs=0.05)
    assert mean["2D-Ptr"] == pytest.approx(21.0, abs=0.05)


def test_decoding_of_the_card_is_a_line_of_its_own() -> None:
    lines = [line for line in table_1.lines(CONTEXT) if line.method.startswith("GeoPAR, ")]
    assert all(line.note and line.subject is not None for line in lines)
