"""The experiments by name, loaded when first used."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from geopar.errors import Faults
from geopar.reproduce.experiment import Experiment
from geopar.settings import maybe_one_of

ALL = "all"
_MODULES = {
    "table-1": "table_1",
    "speed-up": "speed_up",
    "recall": "recall",
    "directions": "directions",
    "ablation": "ablation",
    "assignment": "assignment",
    "density": "density",
    "dynamics": "dynamics",
    "decoding": "decoding",
    "ham": "ham",
}


@dataclass(frozen=True)
class About:
    """What the list of experiments says of one."""

    name: str
    source: str
    title: str


def names() -> tuple[str, ...]:
    """All experiments, in the paper's order."""
    return tuple(_MODULES)


def find(wanted: list[str]) -> list[Experiment]:
    """The experiments of these names, ``all`` for everything.

    Raises
    ------
    geopar.errors.InputError
        With every name that is none.
    """
    faults = Faults()
    for name in wanted:
        if name != ALL and name not in _MODULES:
            hint = maybe_one_of(name, (*_MODULES, ALL))
            faults.add("unknown-experiment", "experiment", name, "is no experiment here.", hint)
    faults.raise_if_any()
    chosen = _MODULES if ALL in wanted else dict.fromkeys(wanted)
    return [_load(name) for name in chosen]


def about() -> list[About]:
    """All experiments, for people."""
    return [About(one.name, one.source, one.title) for one in find([ALL])]


def _load(name: str) -> Experiment:
    module = importlib.import_module(f"geopar.reproduce.experiments.{_MODULES[name]}")
    found: Experiment = module.EXPERIMENT
    return found
