"""Solvers as subjects of experiments: the paper's network, its peers, and what was changed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geopar.errors import InputError
from geopar.problems.setting import Setting
from geopar.reproduce.experiment import Context
from geopar.reproduce.measuring import Pass, measure_network, measure_search
from geopar.reproduce.store import Measured
from geopar.solver import find_solver
from geopar.solving import load
from geopar.stop import MaxRuntime, NoImprovement

if TYPE_CHECKING:
    from geopar.paper.config import Mode

# Ends no run: the search's own budget does.
UNTIL_DONE = NoImprovement(iterations=1e18)
# What the paper gave OR-Tools, by the most tasks.
ORTOOLS = "ortools-span"
ORTOOLS_SECONDS = ((50, 30.0), (100, 60.0), (500, 300.0), (10**9, 600.0))
# In less it has hardly begun.
LEAST_ORTOOLS_SECONDS = 5.0
HASH_SHOWN = 12
GEOPAR = "geopar"
# The paper's own network is waited for longer than others.
PATIENT = 4.0


@dataclass(frozen=True)
class Network:
    """One pass of a network.

    Parameters
    ----------
    key, weights
        What it is.
    warm
        The solver whose module compiles what it needs.
    make
        Makes the solver.
    patience
        How much longer than usual is waited for it.
    """

    key: str
    weights: str
    warm: str
    make: Callable[[], Any]
    patience: float = 1.0

    def measure(self, name: str, context: Context) -> Measured:
        """Some instances one by one, the others in batches."""
        load(self.warm, Setting.parse(name).kind, context.announce)
        rule = self.patience * context.scale.patience
        count = context.scale.count(name)
        single = min(context.scale.single, count)
        plan = Pass(count, single, rule, context.seed, context.threads)
        return measure_network((self.warm, self.make()), name, plan)


@dataclass(frozen=True)
class Search:
    """A search with a part of its own budget.

    Parameters
    ----------
    solver, share
        Which, and how much of its budget.
    """

    solver: str
    share: float
    weights: str = ""

    @property
    def key(self) -> str:
        """What it is."""
        least = f", {LEAST_ORTOOLS_SECONDS:g} s at least" if self.solver == ORTOOLS else ""
        return f"{self.solver} with {self.share:.3g} of its budget{least}"

    def measure(self, name: str, context: Context) -> Measured:
        """Each instance for itself."""
        setting = Setting.parse(name)
        load(self.solver, setting.kind, context.announce)
        count = context.scale.count(name, searching=True)
        rule: Any = UNTIL_DONE
        call: Any = find_solver(self.solver, setting.kind).load()
        if self.solver == ORTOOLS:
            full = next(s for most, s in ORTOOLS_SECONDS if setting.num_tasks <= most)
            rule = MaxRuntime(max(self.share * full, LEAST_ORTOOLS_SECONDS))
        else:
            call = functools.partial(call, parameters=_parameters(self.solver)(factor=self.share))
        plan = Pass(count, count, rule, context.seed, context.threads)
        return measure_search((self.solver, call), name, plan, context.executor)


def _parameters(solver: str) -> Any:
    from geopar.peers.classical.annealing import AnnealingParameters
    from geopar.peers.classical.genetic import GeneticParameters
    from geopar.peers.classical.sisr import SisrParameters

    return {"sisr": SisrParameters, "ga": GeneticParameters, "sa": AnnealingParameters}[solver]


def fingerprint(kind: str, name: str) -> str:
    """The beginning of the hash of a file of weights.

    Raises
    ------
    geopar.errors.InputError
        When there is none, or its card cannot be read.
    """
    from geopar.neural.cards import find_weights, read_card

    return read_card(find_weights(kind, name)).sha256[:HASH_SHOWN]


def is_installed(kind: str, name: str) -> bool:
    """Whether there are weights of that name."""
    from geopar.neural.cards import find_weights

    try:
        find_weights(kind, name)
    except InputError:
        return False
    return True


def of_paper(kind: str, weights: str | None) -> tuple[str, Any]:
    """The weights of the paper's network that are asked for, and their card.

    A file is for one problem; for the other those that are installed are taken.

    Raises
    ------
    geopar.errors.InputError
        When there are none, or they are another network's.
    """
    from geopar.neural.cards import find_weights, fitting_card, read_card

    name = weights or GEOPAR
    path = find_weights(kind, name)
    if str(path) == name and read_card(path).problem != kind:
        name, path = GEOPAR, find_weights(kind, GEOPAR)
    return name, fitting_card(path, kind, GEOPAR)


def geopar(
    kind: str,
    weights: str | None = None,
    mode: Mode = "greedy",
    variant: str | None = None,
    model: Mapping[str, Any] | None = None,
    patience: float = PATIENT,
) -> Network:
    """The paper's network, with what is set at decoding.

    Parameters
    ----------
    kind
        The problem.
    weights
        By name or path; those that are installed if left out.
    mode, variant, model
        Decoding, the variant of the assignment, and what is changed of the network.
    patience
        How much longer than usual is waited for it.
    """
    name, card = of_paper(kind, weights)
    parts = [f"geopar mode={mode}"]
    if variant is not None:
        parts.append(f"assignment={variant}")
    parts += [f"model.{key}={value}" for key, value in (model or {}).items()]

    def make() -> Any:
        from geopar.paper.config import ASSIGNMENT_VARIANTS, AssignmentConfig
        from geopar.paper.solver import GeoparSolver

        assignment = None
        if variant is not None:
            assignment = AssignmentConfig.of_paper(kind, **ASSIGNMENT_VARIANTS[variant])  # type: ignore[arg-type]
        return GeoparSolver(weights=name, mode=mode, assignment=assignment, model=model or {})

    return Network(" ".join(parts), card.sha256[:HASH_SHOWN], GEOPAR, make, patience)


def peer(kind: str, learner: str, vehicles: int = 0, weights: Path | None = None) -> Network:
    """A learned peer; MAPDP's weights are for a number of vehicles."""
    name = f"{learner}-{vehicles}" if learner == "mapdp" else learner
    if weights is not None:
        name = str(weights)

    def make() -> Any:
        from geopar.peers.registry import peer_class
        from geopar.peers.solver import PeerSolver

        return PeerSolver(peer=peer_class(learner, kind), weights=name)

    return Network(learner, fingerprint(kind, name), learner, make)


def parco_with_assignment(kind: str) -> Network:
    """PARCO's weights, decoded by the paper's conflict-aware assignment without the cache."""

    def make() -> Any:
        from geopar.paper.config import ASSIGNMENT_VARIANTS, AssignmentConfig
        from geopar.reproduce.lent import LentSolver

        changes = ASSIGNMENT_VARIANTS["full-without-cache"]
        assignment = AssignmentConfig.of_paper(kind, **changes)  # type: ignore[arg-type]
        return LentSolver(weights="parco", mode="ca-always", assignment=assignment)

    key = "parco mode=ca-always assignment=full-without-cache"
    return Network(key, fingerprint(kind, "parco"), "geopar", make)
