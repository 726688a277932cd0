"""Figure 4: which route transitions the candidates of each construction hold, and what they cost.

The paper takes the transitions of PARCO's plans; those of our search are set beside them, because
they are nearer to the best plans.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geopar.problems.frozen import frozen
from geopar.problems.setting import Setting
from geopar.reproduce.experiment import Context, Entry, Experiment, Line, as_stated
from geopar.reproduce.measuring import TOO_LONG, Patience
from geopar.reproduce.pictures import Series, by_size, curves
from geopar.reproduce.store import Measured
from geopar.reproduce.subjects import fingerprint, is_installed
from geopar.solving import load, run
from geopar.stop import MaxRuntime

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from geopar.problems.batch import Batch

NAME = "recall"
SETS = ((100, 5), (500, 10), (1000, 20), (2000, 40), (5000, 100), (10_000, 200), (20_000, 400))
# Curves are cheap: they go farther than what networks are asked at this scale.
FARTHER = 2
DIRECTIONS, RADIUS = 4, 8
# As many different neighbours as the windows can hold at most.
CANDIDATES = DIRECTIONS * 2 * RADIUS
REPEATS = 3
OURS = "refine"

Candidates = NDArray[np.int64]
Construction = Callable[["Batch"], Candidates]


def at_random(batch: Batch) -> Candidates:
    """Anybody."""
    count = batch.num_tasks
    return np.random.default_rng(0).integers(count, size=(count, min(CANDIDATES, count)))


def by_radius(batch: Batch) -> Candidates:
    """Those within ``RADIUS`` ranks by the distance to the depot."""
    places, count = batch.tasks[0].numpy(), batch.num_tasks
    order = np.hypot(*(places - batch.reference[0].numpy()).T).argsort(kind="stable")
    ranks = np.arange(count)[:, None] + np.arange(-RADIUS, RADIUS + 1)
    found = np.empty((count, 2 * RADIUS + 1), dtype=np.int64)
    found[order] = order[np.clip(ranks, 0, count - 1)]
    return found


def nearest(batch: Batch) -> Candidates:
    """The nearest by a matrix of all distances, as the paper builds it."""
    import torch

    places = batch.tasks[0]
    found = torch.cdist(places, places).topk(min(CANDIDATES + 1, len(places)), largest=False)
    return np.asarray(found.indices)


def nearest_by_tree(batch: Batch) -> Candidates:
    """The same by a k-d tree, which needs no such matrix."""
    from scipy.spatial import cKDTree

    places = batch.tasks[0].numpy()
    return np.asarray(cKDTree(places).query(places, k=min(CANDIDATES + 1, len(places)))[1])


def by_projection(batch: Batch) -> Candidates:
    """The projection windows of Eq. 3."""
    from geopar.paper.windows import build_cache

    cache = build_cache(batch, DIRECTIONS, RADIUS)
    index, valid = cache.index[0].numpy(), cache.valid[0].numpy()
    return np.where(valid, index, np.arange(batch.num_tasks)[:, None])


CONSTRUCTIONS: dict[str, Construction] = {
    "Random": at_random,
    "Radius": by_radius,
    "KNN": nearest,
    "KNN by k-d tree": nearest_by_tree,
    "Projection": by_projection,
}


@dataclass(frozen=True)
class Recall:
    """What the candidates of one construction hold of the transitions of one solver's plans.

    Parameters
    ----------
    construction
        By name.
    solver
        Whose plans.
    weights
        The beginning of the hash of its weights.
    """

    construction: str
    solver: str
    weights: str = ""

    @property
    def key(self) -> str:
        """What it is."""
        return f"recall of {self.construction} on transitions of {self.solver}"

    def measure(self, name: str, context: Context) -> Measured:
        """One instance: it has about as many transitions as tasks."""
        from geopar.problems.batch import make_batch

        limit = context.scale.patience
        if self.solver == OURS:
            limit = context.scale.search_seconds * max(1.0, Setting.parse(name).num_tasks / 1000)
        load(self.solver, "hcvrp", context.announce)
        pairs = transitions(self.solver, name, limit, context.seed, context.threads)
        if pairs is None:
            return Measured(note=f"{TOO_LONG} {limit:g} s for {self.solver}'s plan: no transitions")
        batch, construct = make_batch([frozen(name, 1)[0]]), CONSTRUCTIONS[self.construction]
        candidates, seconds = construct(batch), []
        for _ in range(REPEATS):
            began = time.process_time()
            candidates = construct(batch)
            seconds.append(time.process_time() - began)
        held = (candidates[pairs[:, 0]] == pairs[:, 1:]).any(1)
        recall = float(held.mean())
        return Measured({"recall": recall, "build_seconds": min(seconds), "instances": 1.0})


@lru_cache(maxsize=4)
def transitions(
    solver: str, name: str, limit: float, seed: int, threads: int
) -> NDArray[np.int64] | None:
    """``(T, 2)``: customers that follow each other in a plan of the first instance of a set.

    None when there is no plan within the limit.
    """
    from geopar.neural.one_pass import TOO_SHORT_NOTE

    problem = frozen(name, 1)[0]
    rule = MaxRuntime(limit) if solver == OURS else Patience(limit, threads)
    result = run(problem, rule, seed, solver=solver, threads=threads)
    if result.interrupted:
        raise KeyboardInterrupt
    if TOO_SHORT_NOTE in result.notes or not result.feasible:
        return None
    return follow(result.plan.to_indices(problem))


def follow(routes: Any) -> NDArray[np.int64]:
    """Pairs of tasks that follow each other within a trip."""
    trips = [np.asarray(trip, dtype=np.int64) for route in routes for trip in route]
    pairs = [np.stack([trip[:-1], trip[1:]], 1) for trip in trips if len(trip) > 1]
    return np.concatenate(pairs) if pairs else np.empty((0, 2), dtype=np.int64)


def lines(context: Context) -> list[Line]:
    """All constructions on the transitions of PARCO's plans and of our search's."""
    found = []
    most = FARTHER * context.scale.largest
    for solver, whose in (("parco", "PARCO"), (OURS, "our search")):
        weights, note = "", ""
        if solver == "parco":
            if is_installed("hcvrp", "parco"):
                weights = fingerprint("hcvrp", "parco")
            else:
                note = "not measured: no weights hcvrp-parco are installed"
        else:
            note = "not in the paper: transitions of our search's plans"
        for size, vehicles in SETS:
            for construction in CONSTRUCTIONS:
                subject = Recall(construction, solver, weights)
                missing = solver == "parco" and not weights
                if size <= most:
                    found.append(
                        Line(
                            f"hcvrp/{size}/{vehicles}", f"{construction}, {whose}",
                            None if missing else subject, note,
                        )
                    )  # fmt: skip
    return found


def draw(figure: Figure, entries: list[Entry]) -> None:
    """Recall on either transitions, and the time to build."""
    axes = figure.subplots(1, 3)
    for ax, whose in zip(axes, ("PARCO", "our search"), strict=False):
        curves(ax, _series(entries, whose, "recall"), f"recall, {whose}", logarithmic=False)
        ax.set_xscale("log")
        ax.set_ylim(0, 1.02)
    curves(axes[2], _series(entries, "our search", "build_seconds"), "seconds", logarithmic=True)


def _series(entries: list[Entry], whose: str, measure: str) -> Series:
    parts = [(entry.line.method.partition(", "), entry) for entry in entries]
    return by_size([(name, entry) for (name, _, by), entry in parts if by == whose], measure)


EXPERIMENT = Experiment(
    name=NAME,
    source="Figure 4",
    title="Route transitions that candidate sets hold, and the time to build them",
    measures=("recall", "build_seconds"),
    lines=lines,
    draw=draw,
    published=lambda: as_stated(NAME),
)
