"""Recipes: the stages that lead to a file of weights, each a training run, one after another.

A recipe is a TOML file in ``recipes/`` named after the weights that it makes::

    problem = "hcvrp"
    learner = "geopar"

    [[stages]]
    name = "imitate"
    take = "best"            # which of a stage's weights the next one begins with: best or last
    method = "imitate"       # and any other setting of a training run
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geopar.errors import Faults, InputError, refuse
from geopar.learn.config import TrainConfig, default_config
from geopar.learn.distributed import Processes
from geopar.learn.open_run import open_run
from geopar.learn.run import BEST, CHECKPOINT, LAST, Progress, Run
from geopar.settings import maybe_one_of

FOLDER = Path(__file__).parent / "recipes"
TAKES = {"best": BEST, "last": LAST}


@dataclass(frozen=True, slots=True)
class Stage:
    """One training run of a recipe."""

    name: str
    config: TrainConfig
    take: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """What leads to a file of weights."""

    name: str
    problem: str
    learner: str
    stages: tuple[Stage, ...]


def recipes() -> list[str]:
    """The names of all recipes that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def find_recipe(name: str) -> Recipe:
    """A recipe by name, or from a file of one's own.

    Raises
    ------
    geopar.errors.InputError
        When there is none, or it is no recipe.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        hint = maybe_one_of(name, tuple(recipes()))
        refuse("unknown-recipe", "recipe", name, "is no recipe.", hint)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        refuse("bad-recipe", "recipe", name, f"is no TOML: {error}.")
    return _read(path.stem, values)


def _read(name: str, values: dict[str, Any]) -> Recipe:
    faults = Faults()
    for key in ("problem", "learner", "stages"):
        if key not in values:
            faults.add("missing-setting", f"{name} {key}", ..., "is missing.")
    faults.raise_if_any()
    stages = []
    for number, stage in enumerate(values["stages"], 1):
        try:
            stages.append(_stage(values["problem"], values["learner"], number, dict(stage)))
        except InputError as error:
            faults.include(error)
    faults.raise_if_any()
    return Recipe(name, values["problem"], values["learner"], tuple(stages))


def _stage(problem: Any, learner: str, number: int, settings: dict[str, Any]) -> Stage:
    name, take = settings.pop("name", f"stage-{number}"), settings.pop("take", "best")
    if take not in TAKES:
        refuse("unknown-value", f"{name} take", take, "is not known here.", "best or last.")
    usual = default_config(problem, settings.get("method", "reinforce"), learner)
    return Stage(name, TrainConfig.from_json(usual.to_json() | settings), take)


def train_recipe(
    recipe: Recipe,
    folder: Path,
    labels: Path,
    *,
    first: str | None = None,
    start: str | None = None,
    minutes: float | None = None,
    processes: Processes | None = None,
    device: str = "cpu",
    tell: Callable[[Stage, Run], Callable[[Progress], None]] = lambda stage, run: lambda _: None,
) -> Path | None:
    """Run the stages one after another; those that are done are left alone, one begun is resumed.

    Parameters
    ----------
    recipe
        The stages.
    folder
        Where each stage has a folder of its own.
    labels
        Where labelled instances are kept.
    first
        The stage to begin with; needs ``start``.
    start
        Weights that the first stage begins with.
    minutes
        Of all stages of this call together, by the clock.
    processes, device
        As for :class:`geopar.learn.run.Run`.
    tell
        Called before each stage for what is told of it.

    Returns
    -------
    Path or None
        The weights of the last stage; none while there is still something to do.
    """
    names = [stage.name for stage in recipe.stages]
    if first is not None and first not in names:
        refuse("unknown-value", "stage", first, "is no stage.", maybe_one_of(first, (*names,)))
    skipped = 0 if first is None else names.index(first)
    weights = start
    for number, stage in enumerate(recipe.stages[skipped:], skipped + 1):
        place = folder / f"{number}-{stage.name}"
        run = open_run(
            stage.config, place, labels,
            resume=(place / CHECKPOINT).exists(), start=weights, processes=processes,
            device=device, recipe=recipe.name,
        )  # fmt: skip
        before = run.count.seconds
        run.train(minutes, tell(stage, run))
        if not run.is_over:
            return None
        if minutes is not None:
            minutes = max(0.0, minutes - (run.count.seconds - before) / 60.0)
        weights = str(place / TAKES[stage.take])
    return None if weights is None else Path(weights)
