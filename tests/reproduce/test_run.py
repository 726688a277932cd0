from dataclasses import dataclass, field
from pathlib import Path

import pytest

from geopar.errors import Faults, InputError, MissingExtraError
from geopar.reproduce.experiment import Context, Experiment, Line
from geopar.reproduce.pictures import beside_published
from geopar.reproduce.run import Progress, reproduce
from geopar.reproduce.scale import FULL, QUICK
from geopar.reproduce.store import Measured


@dataclass
class Fake:
    """Measures the number of tasks, and remembers what it was asked."""

    key: str = "fake"
    weights: str = ""
    asked: list[str] = field(default_factory=list)
    error: BaseException | None = None
    note: str = ""

    def measure(self, name: str, context: Context) -> Measured:
        self.asked.append(name)
        if self.error is not None:
            raise self.error
        if self.note:
            return Measured(note=self.note)
        return Measured({"objective": float(name.split("/")[1]), "instances": 1.0})


def experiment(*lines: Line) -> Experiment:
    return Experiment(
        "decoding", "Table 7", "A title", ("objective",), lambda context: list(lines),
        beside_published("objective", "objective"),
        lambda: {("omdcpdp/50/5", "a"): {"objective": 25.0}},
    )  # fmt: skip


def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    fake = Fake()
    told: list[Progress] = []
    one = experiment(Line("omdcpdp/50/5", "a", fake), Line("omdcpdp/50/7", "b", fake))
    written = reproduce([one], tmp_path, Context(QUICK), told.append)
    assert {path.suffix for path in written} == {".csv", ".md", ".tex", ".png"}
    assert all(path.stat().st_size for path in written)
    assert [p.fresh for p in told] == [True, True]
    assert (told[-1].done, told[-1].total) == (2, 2)
    reproduce([one], tmp_path, Context(QUICK), told.append)
    assert fake.asked == ["omdcpdp/50/5", "omdcpdp/50/7"]
    reproduce([one], tmp_path, Context(FULL), told.append)
    assert len(fake.asked) == 4


def test_two_lines_with_one_subject_share_a_measurement(tmp_path: Path) -> None:
    fake = Fake()
    one = experiment(Line("omdcpdp/50/5", "a", fake), Line("omdcpdp/50/5", "b", fake))
    reproduce([one], tmp_path, Context(QUICK), lambda told: None)
    assert fake.asked == ["omdcpdp/50/5"]


def test_a_run_that_is_stopped_keeps_what_it_has(tmp_path: Path) -> None:
    fine, stopped = Fake(), Fake("stopped", error=KeyboardInterrupt())
    one = experiment(Line("omdcpdp/50/5", "a", fine), Line("omdcpdp/50/5", "b", stopped))
    with pytest.raises(KeyboardInterrupt):
        reproduce([one], tmp_path, Context(QUICK), lambda told: None)
    assert "50" in (tmp_path / "decoding.csv").read_text()
    assert "the run was stopped" in (tmp_path / "decoding.md").read_text()
    stopped.error = None
    reproduce([one], tmp_path, Context(QUICK), lambda told: None)
    assert (len(fine.asked), len(stopped.asked)) == (1, 2)


def test_what_is_missing_is_said_and_the_others_go_on(tmp_path: Path) -> None:
    faults = Faults()
    faults.add("no-weights", "weights", "hcvrp-x", "are not installed.")
    missing = Fake("missing", error=InputError(faults.found))
    extra = Fake("extra", error=MissingExtraError("OR-Tools", "peers"))
    one = experiment(
        Line("omdcpdp/50/5", "a", missing), Line("omdcpdp/50/5", "b", extra),
        Line("omdcpdp/50/5", "c", None, "nothing stands for it"), Line("omdcpdp/50/5", "d", Fake()),
    )  # fmt: skip
    reproduce([one], tmp_path, Context(QUICK), lambda told: None)
    page = (tmp_path / "decoding.md").read_text()
    assert "are not installed" in page
    assert "geopar[peers]" in page
    assert "nothing stands for it" in page
    assert "| d | 1 | 50.00 |" in page


def test_a_full_disk_ends_the_run(tmp_path: Path) -> None:
    faults = Faults()
    faults.add("cannot-write", "somewhere", ..., "no room.")
    one = experiment(Line("omdcpdp/50/5", "a", Fake(error=InputError(faults.found))))
    with pytest.raises(InputError, match="no room"):
        reproduce([one], tmp_path, Context(QUICK), lambda told: None)


def test_what_took_too_long_is_not_tried_on_larger_sets(tmp_path: Path) -> None:
    slow = Fake(note="longer than 15 s for one instance")
    names = ("hcvrp/1000/20", "hcvrp/2000/40", "hcvrp/1000/10", "omdcpdp/1000/20")
    one = experiment(*(Line(name, "a", slow) for name in names))
    reproduce([one], tmp_path, Context(QUICK), lambda told: None)
    assert slow.asked == ["hcvrp/1000/20", "hcvrp/1000/10", "omdcpdp/1000/20"]
    assert "not tried" in (tmp_path / "decoding.md").read_text()
