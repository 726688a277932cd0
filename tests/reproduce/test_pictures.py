import sys

import pytest

from geopar.errors import MissingExtraError
from geopar.reproduce.experiment import Entry, Line
from geopar.reproduce.pictures import beside_published, png
from geopar.reproduce.registry import find
from geopar.reproduce.store import Measured

VALUES = {
    "objective": 3.0, "steps": 5.0, "seconds": 0.2, "recall": 0.5, "build_seconds": 0.1,
    "utilisation": 0.3, "speed_up": 2.0, "error": 0.1,
}  # fmt: skip
PUBLISHED = {"objective": 2.0, "steps": 4.0, "seconds": 0.1, "speed_up": 3.0}


def entries(*methods: str) -> list[Entry]:
    return [
        Entry(Line(name, method, None), Measured(VALUES), PUBLISHED)
        for name in ("hcvrp/60/3", "hcvrp/1000/20", "omdcpdp/50/5")
        for method in methods
    ]


@pytest.mark.parametrize("experiment", find(["all"]), ids=lambda one: one.name)
def test_every_picture_can_be_drawn(experiment) -> None:
    methods = ("GeoPAR", "GeoPAR after 10 updates", "PARCO after 100 epochs", "Radius, PARCO")
    assert png(experiment.draw, entries(*methods), experiment.title).startswith(b"\x89PNG")


@pytest.mark.parametrize("experiment", find(["all"]), ids=lambda one: one.name)
def test_a_picture_of_nothing(experiment) -> None:
    nothing = [Entry(Line("hcvrp/60/3", "GeoPAR", None), Measured())]
    assert png(experiment.draw, nothing, "").startswith(b"\x89PNG")
    assert png(experiment.draw, [], "").startswith(b"\x89PNG")


def test_without_what_draws(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError):
        png(beside_published("objective", ""), [], "")
