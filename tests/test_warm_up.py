import pytest

from geopar import warm_up as module
from geopar.errors import MissingExtraError
from geopar.search.engines import code_of
from geopar.warm_up import SOLVERS, Warmed, sample_days, warm_up


def test_every_kind_of_code_for_days_is_there_once() -> None:
    codes = [code_of(problem) for problem in sample_days().values()]
    assert len(set(codes)) == len(codes)
    assert {(kind, adds) for kind, _, adds, *_ in codes} == {
        ("hcvrp", True),
        ("hcvrp", False),
        ("omdcpdp", False),
    }


def test_pieces_are_told_as_they_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load(name, kind, announce, problem=None):
        asked.append((name, kind, problem is not None))
        if name == "pointer":
            raise MissingExtraError("networks", "neural")

    monkeypatch.setattr(module, "load", load)
    monkeypatch.setattr(module, "compile_bound", lambda announce: None)
    *done, last = warm_up()
    assert len(done) == len(asked) == 2 * len(SOLVERS) + len(sample_days())
    assert last.what == "bound, hcvrp"
    assert {one.what for one in done if one.missing} == {"pointer, hcvrp", "pointer, omdcpdp"}
    assert all(isinstance(one, Warmed) and one.seconds >= 0.0 for one in done)


def test_all_of_it_can_be_loaded() -> None:
    names = {"refine, hcvrp", "refine, hcvrp with windows", "refine, omdcpdp with service"}
    done = {one.what: one.missing for one in warm_up()}
    assert names < set(done)
    assert set(done.values()) == {""}
