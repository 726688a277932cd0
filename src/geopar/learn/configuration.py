"""Every setting of a training run, typed, with its default, in one place."""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from geopar.errors import Faults, InputError
from geopar.model.configuration import (
    ASSIGNMENT_VARIANTS,
    PRESETS,
    AssignmentConfig,
    ModelConfig,
)
from geopar.peers.registry import peer_class, peer_config, peers
from geopar.problems.setting import Kind, Setting

if TYPE_CHECKING:
    from geopar.peers.peer import PeerConfig

Method = Literal["imitate", "reinforce"]
BaselineKind = Literal["shared", "greedy"]
# Who learns, unless it is a peer by name.
OURS = "geopar"
PAPER = "paper"
_SIZE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?/(\d{1,6})(?:-(\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Sizes such as ``60-100/3-7``: least and most tasks, least and most vehicles."""

    tasks: tuple[int, int]
    vehicles: tuple[int, int]

    @classmethod
    def parse(cls, text: str) -> SizeRange | None:
        """Read a range; none when it makes no sense."""
        found = _SIZE.fullmatch(text)
        if found is None:
            return None
        low, high, least, most = found.groups()
        tasks, vehicles = (int(low), int(high or low)), (int(least), int(most or least))
        if not (1 <= tasks[0] <= tasks[1] and 1 <= vehicles[0] <= vehicles[1]):
            return None
        return cls(tasks, vehicles)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """A training run. The defaults are the paper's (its tables of training settings).

    Parameters
    ----------
    problem
        ``hcvrp`` or ``omdcpdp``.
    method
        ``imitate`` the search, or ``reinforce``: the paper's recipe.
    learner
        Whose network learns: ``geopar``, or a learned peer by name, such as ``am``.
    preset, model
        The network: a preset's name (of ours), and what is changed of it.
    assignment
        ``paper``, or a variant of the assignment by name.
    sizes
        Ranges of sizes; each update draws one range, and a size from it.
    batch_size
        Instances of an update, of all processes together.
    most_rows
        At most so many agent-steps are scored at once; a batch is cut to fit.
    augmentations, samples
        Turned copies of each instance and rollouts of each copy; they share a mean baseline.
    baseline, baseline_instances
        Of peers: ``shared``, or ``greedy``: what a frozen copy reaches, which is challenged after
        each epoch on so many instances.
    relative
        Advantages relative to the baseline instead of in the units of the objective.
    scored_rollouts
        In reinforcement, the part of the rollouts that the second pass scores.
    entropy
        In reinforcement, what a choice that is open is worth: it keeps a policy that has found
        something good from trying nothing else.
    step_price
        In reinforcement, what it costs to take twice as many parallel steps, over the objective.
    step_prices
        The same for each range of ``sizes``, where one price for all is not wanted.
    sharpness
        Of weights that the run begins with, every logit is multiplied by this, and their clip.
    teacher_weight
        In reinforcement, the weight of an imitation loss on labelled instances beside it.
    learning_rate, milestones, decay
        Of Adam, times ``decay`` after each of these epochs.
    epochs, epoch_size
        Length of the run, and how many instances make an epoch.
    clip_norm
        Largest norm of a gradient; zero leaves it.
    label_sizes
        Ranges of the labelled instances; none: those of ``sizes``.
    label_shards
        Shards of each range that are used in all.
    label_iterations
        Search iterations per task for each label.
    scored_steps
        In imitation, random steps of each plan that are scored in an update.
    validation, validation_count, validate_every
        Settings, instances of each, and updates between two validations.
    monitor
        The setting by which the best weights are chosen; ``mean`` takes the geometric mean of all.
    seed
        Of everything that is random.
    threads
        Of each process.
    """

    problem: Kind
    method: Method = "reinforce"
    learner: str = OURS
    preset: str = "default"
    model: dict[str, Any] = field(default_factory=dict)
    assignment: str = PAPER
    sizes: tuple[str, ...] = ()
    batch_size: int = 128
    most_rows: int = 20_000
    augmentations: int = 8
    samples: int = 1
    baseline: BaselineKind = "shared"
    baseline_instances: int = 10_000
    relative: bool = False
    scored_rollouts: float = 1.0
    entropy: float = 0.0
    step_price: float = 0.0
    step_prices: tuple[float, ...] = ()
    sharpness: float = 1.0
    teacher_weight: float = 0.0
    learning_rate: float = 1e-4
    milestones: tuple[int, ...] = (80, 95)
    decay: float = 0.1
    epochs: int = 100
    epoch_size: int = 100_000
    clip_norm: float = 1.0
    label_sizes: tuple[str, ...] = ()
    label_shards: int = 40
    label_iterations: int = 150
    scored_steps: int = 12
    validation: tuple[str, ...] = ()
    validation_count: int = 64
    validate_every: int = 200
    monitor: str = "mean"
    seed: int = 1234
    threads: int = 1

    def __post_init__(self) -> None:
        faults = Faults()
        self._check_choices(faults)
        self._check_learner(faults)
        self._check_numbers(faults)
        self._check_sizes(faults)
        faults.raise_if_any()
        self.model_config() if self.learner == OURS else self._check_fleets(self.peer_config())

    def _check_fleets(self, peer: PeerConfig) -> None:
        """A network for one number of vehicles must not meet another in the middle of a run."""
        vehicles, faults = getattr(peer, "vehicles", None), Faults()
        for name in ("sizes", "validation"):
            for text in getattr(self, name):
                size = SizeRange.parse(text)
                if vehicles and size is not None and size.vehicles != (vehicles, vehicles):
                    message = f"{self.learner} learns for {vehicles} vehicles here."
                    hint = "Change model.vehicles, sizes and validation together."
                    faults.add("wrong-fleet", name, text, message, hint)
        faults.raise_if_any()

    def _check_choices(self, faults: Faults) -> None:
        choices: dict[str, tuple[str, ...]] = {
            "problem": ("hcvrp", "omdcpdp"),
            "method": ("imitate", "reinforce"),
            "learner": (OURS, *peers(self.problem)),
            "baseline": ("shared", "greedy"),
            "preset": tuple(PRESETS),
            "assignment": (PAPER, *ASSIGNMENT_VARIANTS),
            "monitor": ("mean", *self.validation),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                value, hint = getattr(self, name), f"Maybe one of: {', '.join(allowed)}."
                faults.add("unknown-value", name, value, "is not known here.", hint)

    def _check_learner(self, faults: Faults) -> None:
        """What only peers, or only we, can do."""
        if self.learner != OURS:
            for name, usual in (
                ("method", "reinforce"), ("teacher_weight", 0.0), ("scored_rollouts", 1.0),
                ("entropy", 0.0), ("step_price", 0.0), ("step_prices", ()), ("sharpness", 1.0),
            ):  # fmt: skip
                if getattr(self, name) != usual:
                    message = f"is not for peers, which learn with {usual}."
                    faults.add("not-for-peers", name, getattr(self, name), message)
            return
        if self.baseline != "shared":
            faults.add(
                "out-of-range", "baseline", self.baseline, f"is not for {OURS}.", "Maybe shared."
            )
        known = {f.name for f in dataclasses.fields(ModelConfig)} - {"kind"}
        for name in self.model:
            if name not in known:
                hint = f"Maybe one of: {', '.join(sorted(known))}."
                faults.add(
                    "unknown-setting", f"model.{name}", ..., "is no setting of the network.", hint
                )

    def _check_numbers(self, faults: Faults) -> None:
        least = {
            "batch_size": 1, "most_rows": 1, "augmentations": 1, "samples": 1, "epochs": 1,
            "epoch_size": 1, "label_shards": 1, "label_iterations": 0, "scored_steps": 1,
            "validation_count": 1, "validate_every": 1, "seed": 0, "threads": 1,
            "teacher_weight": 0, "entropy": 0, "step_price": 0, "clip_norm": 0,
            "baseline_instances": 2,
        }  # fmt: skip
        for name, low in least.items():
            if not getattr(self, name) >= low:
                faults.add("out-of-range", name, getattr(self, name), f"must be {low} or more.")
        for name in ("learning_rate", "decay", "scored_rollouts"):
            if not 0.0 < getattr(self, name) <= 1.0:
                faults.add("out-of-range", name, getattr(self, name), "must be in (0, 1].")
        if not self.sharpness > 0.0:
            faults.add("out-of-range", "sharpness", self.sharpness, "must be more than zero.")
        alone = self.augmentations * self.samples < 2
        if self.method == "reinforce" and self.baseline == "shared" and alone:
            faults.add(
                "out-of-range", "augmentations", self.augmentations,
                "times samples must be 2 or more: one rollout has no baseline.",
            )  # fmt: skip

    def _check_sizes(self, faults: Faults) -> None:
        if self.step_prices and len(self.step_prices) != len(self.sizes):
            message = f"must be {len(self.sizes)} numbers, one for each range of sizes."
            faults.add("out-of-range", "step_prices", self.step_prices, message)
        elif any(not price >= 0 for price in self.step_prices):
            faults.add("out-of-range", "step_prices", self.step_prices, "must be 0 or more each.")
        if not self.sizes:
            faults.add("missing-setting", "sizes", ..., "is missing.", "Maybe 60-100/3-7.")
        for name in ("sizes", "label_sizes"):
            for text in getattr(self, name):
                found = SizeRange.parse(text)
                if found is None:
                    faults.add("bad-size", name, text, "is no range of sizes.", "Maybe 60-100/3-7.")
                elif self.problem == "omdcpdp" and found.tasks[0] < 2:
                    faults.add("bad-size", name, text, "has no room for an order.", "Maybe 50-100.")
        for text in self.validation:
            try:
                Setting.parse(f"{self.problem}/{text}")
            except InputError as error:
                faults.found.extend(error.faults)

    def peer_config(self) -> PeerConfig:
        """The peer's network that is trained."""
        return peer_config(self.learner, self.problem, self.model)

    def model_config(self) -> ModelConfig:
        """Our network that is trained."""
        return dataclasses.replace(PRESETS[self.preset](self.problem), **self.model)

    def assignment_config(self) -> AssignmentConfig:
        """How joint actions are sampled."""
        changes = {} if self.assignment == PAPER else ASSIGNMENT_VARIANTS[self.assignment]
        return AssignmentConfig.of_paper(self.problem, **changes)

    @property
    def steps_per_epoch(self) -> int:
        """Updates of an epoch."""
        return max(1, self.epoch_size // self.batch_size)

    @property
    def steps(self) -> int:
        """Updates of the whole run."""
        return self.epochs * self.steps_per_epoch

    def rate_at(self, step: int) -> float:
        """The learning rate of an update."""
        passed = sum(step // self.steps_per_epoch >= mark for mark in self.milestones)
        return self.learning_rate * self.decay**passed

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return dict(json.loads(json.dumps(dataclasses.asdict(self))))

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> TrainConfig:
        """The inverse of :meth:`to_json`; unknown names and wrong types are faults."""
        faults, made = Faults(), {}
        kinds = typing.get_type_hints(cls)
        for name, value in values.items():
            if name not in kinds:
                faults.add("unknown-setting", name, value, "is no setting of a run.", _names(kinds))
                continue
            made[name] = _convert(name, kinds[name], value, faults)
        faults.raise_if_any()
        return cls(**made)

    def changed(self, assignments: dict[str, str]) -> TrainConfig:
        """With settings given as text, such as ``{"learning_rate": "3e-4"}``.

        Raises
        ------
        geopar.errors.InputError
            For unknown names, or values that do not fit.
        """
        values = self.to_json()
        for name, text in assignments.items():
            value = _read(text)
            if name.startswith("model."):
                values["model"] = values["model"] | {name.removeprefix("model."): value}
            elif name in values and isinstance(values[name], list):
                parts = [part for part in text.split(",") if part]
                is_number = name in ("milestones", "step_prices")
                values[name] = [_read(p) for p in parts] if is_number else parts
            else:
                values[name] = value
        return TrainConfig.from_json(values)


def _names(kinds: dict[str, Any]) -> str:
    return f"Maybe one of: {', '.join(kinds)}."


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _convert(name: str, kind: Any, value: Any, faults: Faults) -> Any:
    """The value in the type of its setting, if it can be."""
    origin = typing.get_origin(kind)
    if origin is tuple:
        inner = typing.get_args(kind)[0]
        allowed = int | float if inner is float else inner
        if isinstance(value, list | tuple) and all(isinstance(v, allowed) for v in value):
            return tuple(inner(v) for v in value)
    elif origin is typing.Literal or origin is types.UnionType:
        if isinstance(value, str):
            return value
    elif origin is dict:
        if isinstance(value, dict):
            return value
    elif kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    elif isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    faults.add("wrong-type", name, value, f"must be {getattr(kind, '__name__', kind)}.")
    return value


def default_config(problem: Kind, method: Method = "reinforce", learner: str = OURS) -> TrainConfig:
    """The paper's settings for a problem, or for a peer its own; for imitation ours."""
    sizes: dict[str, tuple[str, ...]] = {"hcvrp": ("60-100/3-7",), "omdcpdp": ("50-100/10-50",)}
    validation = {
        "hcvrp": ("60/3", "60/5", "100/7", "300/12"),
        "omdcpdp": ("50/5", "50/7", "100/10", "300/12"),
    }
    own: dict[str, Any] = {"augmentations": 10 if problem == "hcvrp" else 8}
    if method == "imitate":
        own |= {
            "sizes": ("40-100/3-7",) if problem == "hcvrp" else ("40-100/4-20",),
            "batch_size": 32,
            "learning_rate": 1e-3,
            "epoch_size": 3200,
            "epochs": 60,
            "milestones": (40, 52),
            "decay": 0.3,
        }
    if learner != OURS:
        own |= peer_class(learner, problem).recipe(problem)
    return TrainConfig(
        problem=problem,
        method=method,
        learner=learner,
        **({"sizes": sizes[problem], "validation": validation[problem]} | own),
    )
