"""The register of problems: what each kind brings, loaded when first used.

Code that serves all problems asks here instead of asking which problem it has. A new problem is an
entry in :data:`PROBLEM_KINDS` and the modules that the entry names.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["hcvrp", "omdcpdp"]


@dataclass(frozen=True, slots=True)
class Part:
    """Something in a module that is imported when first needed: ``module:name`` or ``module``."""

    target: str

    def load(self) -> Any:
        """Import it."""
        module, _, name = self.target.partition(":")
        loaded = importlib.import_module(module)
        return getattr(loaded, name) if name else loaded


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """What belongs to one kind of problem.

    Parameters
    ----------
    name
        How files, settings and commands call it.
    goal
        What is minimised.
    unit
        In which it is told where places are longitudes and latitudes.
    tasks_per_order
        How many tasks belong together; their number is a multiple of it.
    instance
        The class of its instances, a :class:`geopar.problems.base.RoutingProblem`.
    generate
        Draws a random instance: ``(num_tasks, num_vehicles, generator)``.
    arrays
        The module of the arrays in which the field publishes its instances.
    environment
        The class of its batched environment, one step of all vehicles at a time.
    checker
        Judges the visits of a plan: see :mod:`geopar.checks`.
    files
        The module that reads and writes it, see :class:`geopar.files.forms.Forms`.
    engine
        Its compiled search, a :class:`geopar.search.engines.Operations`.
    day_engine
        The same for problems with a day.
    dispatch
        Its rule of the solver ``dispatch``.
    picture
        The module that draws it, see :class:`geopar.plotting.parts.Parts`.
    bound
        A lower bound on what a plan costs, where there is one.
    """

    name: Kind
    goal: str
    unit: str
    tasks_per_order: int
    instance: Part
    generate: Part
    arrays: Part
    environment: Part
    checker: Part
    files: Part
    engine: Part
    dispatch: Part
    picture: Part
    day_engine: Part
    bound: Part | None = None

    @property
    def comes_home(self) -> bool:
        """Whether its vehicles come home, and so may make several trips."""
        return bool(self.instance.load().comes_home)


PROBLEM_KINDS: dict[Kind, ProblemKind] = {
    "hcvrp": ProblemKind(
        name="hcvrp",
        goal="makespan",
        unit="h",
        tasks_per_order=1,
        instance=Part("geopar.problems.hcvrp.instance:HCVRP"),
        generate=Part("geopar.problems.hcvrp.generate:generate"),
        arrays=Part("geopar.problems.hcvrp.arrays"),
        environment=Part("geopar.problems.hcvrp.environment:HCVRPEnvironment"),
        checker=Part("geopar.checks.hcvrp:judge"),
        files=Part("geopar.files.hcvrp"),
        engine=Part("geopar.search.hcvrp_engine:OPERATIONS"),
        dispatch=Part("geopar.search.dispatch:plan_hcvrp"),
        picture=Part("geopar.plotting.hcvrp"),
        bound=Part("geopar.problems.hcvrp.bound:lower_bound"),
        day_engine=Part("geopar.search.day_engine:OPERATIONS"),
    ),
    "omdcpdp": ProblemKind(
        name="omdcpdp",
        goal="sum of arrivals",
        unit="km",
        tasks_per_order=2,
        instance=Part("geopar.problems.omdcpdp.instance:OMDCPDP"),
        generate=Part("geopar.problems.omdcpdp.generate:generate"),
        arrays=Part("geopar.problems.omdcpdp.arrays"),
        environment=Part("geopar.problems.omdcpdp.environment:OMDCPDPEnvironment"),
        checker=Part("geopar.checks.omdcpdp:judge"),
        files=Part("geopar.files.omdcpdp"),
        engine=Part("geopar.search.omdcpdp_engine:OPERATIONS"),
        dispatch=Part("geopar.search.dispatch:plan_omdcpdp"),
        picture=Part("geopar.plotting.omdcpdp"),
        day_engine=Part("geopar.search.day_orders_engine:OPERATIONS"),
    ),
}

KINDS: tuple[Kind, ...] = tuple(PROBLEM_KINDS)


def kind_named(name: str) -> ProblemKind | None:
    """The kind of that name, or None."""
    return next((kind for kind in PROBLEM_KINDS.values() if kind.name == name), None)
