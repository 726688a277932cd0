"""What a solver is, and every solver by name, loaded when first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.metadata import entry_points
from operator import attrgetter
from typing import Any

from geopar.errors import Faults, InputError, MissingExtraError, refuse
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.kinds import KINDS, Kind
from geopar.settings import maybe_one_of
from geopar.stop import Budget

ENTRY_POINTS = "geopar.solvers"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A look at a running solver.

    ``plan`` builds the best plan so far when called, so that looking costs nothing unless asked.
    By ``cost`` plans are compared: where requests may be left out it holds what that costs, and
    ``goal`` is what is left without it.
    """

    seconds: float
    iterations: int
    cost: float
    improved: bool
    plan: Callable[[], Plan]
    goal: float | None = None

    @property
    def objective(self) -> float:
        """What is minimised, of the best plan so far."""
        return self.cost if self.goal is None else self.goal


# One that returns True ends the run.
Observer = Callable[[Snapshot], bool | None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a solver returns: a plan, and what it took where that can be counted.

    ``steps`` are parallel construction steps (the paper's rollout steps), ``iterations`` those of
    a search, ``notes`` anything the user should know, such as a scaled-down budget, ``trace`` a
    :class:`geopar.trace.Trace` of a construction where one was asked for.
    """

    plan: Plan
    iterations: int | None = None
    steps: int | None = None
    notes: tuple[str, ...] = ()
    trace: Any = None


@dataclass(frozen=True, slots=True)
class Request:
    """What a solver is asked.

    Parameters
    ----------
    problem
        What to plan.
    budget
        When to stop: ``budget.done`` says whether to, ``budget.note`` is told of progress.
    seed
        Of all random choices: the same seed and iteration budget give the same plan.
    start
        A feasible plan to begin with; solvers that cannot use one ignore it.
    observe
        Called with a look at the run now and then.
    threads
        How many cores to use.
    """

    problem: Problem
    budget: Budget
    seed: int = 0
    start: Plan | None = None
    observe: Observer | None = None
    threads: int = 1

    def tell(
        self, iterations: int, cost: float, plan: Callable[[], Plan], goal: float | None = None
    ) -> None:
        """Let budget and observer know how far the run is; see :class:`Snapshot`."""
        improved = self.budget.note(iterations, cost)
        if self.observe is None:
            return
        now = Snapshot(self.budget.seconds, iterations, cost, improved, plan, goal)
        if self.observe(now) is True:
            self.budget.interrupted = True


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen of a network; what is left out stays as it is.

    Parameters
    ----------
    weights
        By name or path, or ``random``.
    mode, assignment
        How its scores become plans, and which variant of the paper's assignment does it.
    settings
        Single settings by name, as text: ``assignment.time_weight`` or ``model.radius``.
    samples, augment
        Rollouts of each copy of a problem, and copies under the symmetries of the square.
    """

    weights: str | None = None
    mode: str | None = None
    assignment: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    samples: int | None = None
    augment: int | None = None

    def given(self) -> dict[str, Any]:
        """Those that were chosen, by name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, {})}


# A user's own solver is any such function; geopar.solve and geopar.evaluate take it as it is.
Solver = Callable[[Request], Outcome]


@dataclass(frozen=True, slots=True)
class SolverInfo:
    """Where a solver lives and what it can do.

    Parameters
    ----------
    name, summary
        What it is called and what it does.
    target
        ``module:name`` of a :data:`Solver`.
    kinds
        Which problems it solves.
    extra
        Which of our optional packages it needs.
    is_trained
        Whether it is a network, which ``geopar train --model`` trains under this name.
    package
        Which other package brings it, by an entry point of the group ``geopar.solvers``.
    """

    name: str
    summary: str
    target: str
    kinds: tuple[Kind, ...] = KINDS
    extra: str = ""
    is_trained: bool = False
    package: str = ""

    def load(self) -> Solver:
        """Import it.

        Raises
        ------
        geopar.errors.MissingExtraError
            When the packages it needs are not installed.
        geopar.errors.InputError
            When another package brings it, and it cannot be imported.
        """
        module, _, name = self.target.partition(":")
        try:
            solver: Solver = attrgetter(name)(importlib.import_module(module))
        except ModuleNotFoundError as error:
            if self.extra and error.name and not error.name.startswith("geopar"):
                raise MissingExtraError(f"solver {self.name!r}", self.extra) from error
            self._refuse(error)
            raise
        except Exception as error:  # another package's code may do anything
            self._refuse(error)
            raise
        return solver

    def _refuse(self, error: Exception) -> None:
        """Say that another package's solver is broken."""
        if self.package:
            faults, what = Faults(), f"{type(error).__name__}: {error}"
            message = f"of the package {self.package} cannot be imported: {what}."
            faults.add("broken-solver", "solver", self.name, message, "Mend or remove the package.")
            raise InputError(faults.found) from error


def _peer(name: str, summary: str, target: str, *kinds: Kind) -> SolverInfo:
    """A network of the paper's tables, which ours are compared with."""
    return SolverInfo(name, summary, target, kinds or KINDS, "peers", is_trained=True)


_ALL = (
    SolverInfo(
        "refine",
        "our search: compiled ruin and recreate on a smooth makespan, or on the arrival sum",
        "geopar.search.refine:refine",
    ),
    SolverInfo(
        "hybrid",
        "our pointer or an insertion makes the first plan, refine improves it",
        "geopar.hybrid:hybrid",
    ),
    SolverInfo(
        "insert",
        "the best of a few insertions, each task where it costs least: what refine begins with",
        "geopar.search.insert:insert",
    ),
    SolverInfo(
        "dispatch",
        "the vehicle that is free first takes the nearest open task that fits",
        "geopar.search.dispatch:dispatch",
    ),
    SolverInfo(
        "pointer",
        "one pass of our network, who takes what; a rule puts it where it costs least",
        "geopar.pointer.solver:pointer",
        extra="neural",
        is_trained=True,
    ),
    SolverInfo(
        "geopar",
        "one pass of the paper's network: projection windows, pointers, conflict-aware assignment",
        "geopar.paper.solver:geopar",
        extra="neural",
        is_trained=True,
    ),
    _peer(
        "parco",
        "the base that the paper extends, all vehicles at once (Berto et al. 2025)",
        "geopar.peers.parco:solver",
    ),
    _peer(
        "am",
        "the attention model: a vehicle, then its next customer (after Kool et al. 2019)",
        "geopar.peers.am:solver",
        "hcvrp",
    ),
    _peer(
        "2d-ptr",
        "one vehicle-customer pair a step, by a two-dimensional pointer (Liu et al. 2024)",
        "geopar.peers.two_d_ptr:solver",
        "hcvrp",
    ),
    _peer(
        "dpn",
        "vehicle after vehicle, with hand-overs (after Zheng et al. 2024)",
        "geopar.peers.dpn:solver",
        "hcvrp",
    ),
    _peer(
        "ham",
        "attention by kind of task, all vehicles at once (after Li et al. 2021)",
        "geopar.peers.ham:solver",
        "omdcpdp",
    ),
    _peer(
        "mapdp",
        "a network for each number of vehicles, conflicts by lot (after Zong et al. 2022)",
        "geopar.peers.mapdp:solver",
        "omdcpdp",
    ),
    SolverInfo(
        "sisr",
        "ruin and recreate as the paper ran it (Christiaens & Vanden Berghe 2020)",
        "geopar.peers.classical.sisr:sisr",
        kinds=("hcvrp",),
    ),
    SolverInfo(
        "ga",
        "a genetic algorithm as the paper ran it (after Karakatič & Podgorelec 2015)",
        "geopar.peers.classical.genetic:genetic",
        kinds=("hcvrp",),
    ),
    SolverInfo(
        "sa",
        "simulated annealing with crossover as the paper ran it (after İlhan 2021)",
        "geopar.peers.classical.annealing:annealing",
        kinds=("hcvrp",),
    ),
    SolverInfo(
        "ortools",
        "OR-Tools' guided local search on the problem's own objective",
        "geopar.peers.ortools.solver:ortools",
        extra="peers",
    ),
    SolverInfo(
        "ortools-span",
        "OR-Tools with the objective of the paper's table: the longest route, not the arrivals",
        "geopar.peers.ortools.solver:ortools_span",
        kinds=("omdcpdp",),
        extra="peers",
    ),
)


def solvers(kind: str | None = None) -> dict[str, SolverInfo]:
    """All solvers by name, or those for one problem; those of other packages come last."""
    found: dict[str, SolverInfo] = {}
    for info in (*_ALL, *_of_other_packages()):
        found.setdefault(info.name, info)
    return {name: info for name, info in found.items() if kind is None or kind in info.kinds}


@cache
def _of_other_packages() -> tuple[SolverInfo, ...]:
    return tuple(
        SolverInfo(
            point.name,
            f"of the package {point.dist.name if point.dist else 'unknown'}",
            point.value,
            package=point.dist.name if point.dist else "unknown",
        )
        for point in entry_points(group=ENTRY_POINTS)
    )


# Names that solvers had, and have now.
RENAMED = {"construct": "pointer"}


def find_solver(name: str, kind: str) -> SolverInfo:
    """The solver of that name for that problem.

    Raises
    ------
    geopar.errors.InputError
        For an unknown name, or one that does not do this problem.
    """
    info = solvers().get(name)
    choices = maybe_one_of(name, tuple(solvers(kind)))
    if name in RENAMED:
        choices = f"It is called {RENAMED[name]} now."
    if info is None:
        refuse("unknown-solver", "solver", name, "is not a solver here.", choices)
    if kind not in info.kinds:
        refuse("wrong-problem", "solver", name, f"does not solve {kind}.", choices)
    return info
