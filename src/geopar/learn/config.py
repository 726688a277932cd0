"""Every setting of a training run, typed, with its default, in one place."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from geopar.errors import Faults, InputError
from geopar.paper.config import (
    ASSIGNMENT_VARIANTS,
    MODES,
    AssignmentConfig,
    Decoding,
    NetworkConfig,
)
from geopar.peers.registry import peer_class, peers
from geopar.pointer.config import PointerConfig
from geopar.problems.kinds import KINDS, Kind, kind_named
from geopar.problems.setting import Setting
from geopar.settings import Settings, read_settings, value_of

Method = Literal["imitate", "distil", "reinforce"]
Draws = Literal["in-turn", "at-once"]
BaselineKind = Literal["shared", "state", "greedy"]
# The paper's network and our own; all other learners are peers.
GEOPAR, POINTER = "geopar", "pointer"
_SIZE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?/(\d{1,6})(?:-(\d{1,6}))?")
_VALIDATION = re.compile(r"(\d{1,6}/\d{1,6})(?::(\d{1,6}))?")
# Validation looks at so many tasks of a setting, unless it says how many instances.
MOST_VALIDATION_TASKS = 6400
LEAST_VALIDATION_INSTANCES = 4


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


def size_ranges(texts: tuple[str, ...]) -> list[SizeRange]:
    """The ranges of settings that were checked."""
    found = [SizeRange.parse(text) for text in texts]
    return [size for size in found if size is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig(Settings):
    """A training run. The defaults are the paper's (its tables of training settings).

    Parameters
    ----------
    problem
        ``hcvrp`` or ``omdcpdp``.
    method
        ``imitate`` the search, ``distil`` another network, or ``reinforce``: the paper's recipe.
    learner
        Whose network learns: ``geopar`` (the paper's), ``pointer`` (ours), or a learned peer by
        name, such as ``am``.
    model
        What is changed of the network's own settings.
    variant, assignment
        How joint actions are sampled: a variant of the paper's assignment by name, and what is
        changed of its settings, such as ``temperature``.
    draws
        Of the paper's network: agents draw ``in-turn``, each from what others left (Eq. 12), or all
        ``at-once``, as PARCO's do, where the surest of those who want the same gets it.
    decoding
        How the trained weights decode: ``mode``, and what is changed of the paper's assignment;
        left out, as those that the run begins with, or greedily.
    sizes
        Ranges of sizes; each update draws one range, and a size from it.
    crops
        The share of updates whose instances are cut out of up to fifty times larger ones, so that
        their tasks lie as densely; not of imitation.
    batch_size
        Instances of an update, of all processes together.
    most_rows
        At most so many agent-steps are scored at once; a batch is cut to fit.
    augmentations, samples
        Turned copies of each instance and rollouts of each copy; they share a mean baseline.
    baseline, baseline_instances
        ``shared``: the mean of an instance's rollouts; of the paper's network also ``state``: what
        is to be expected from each state; of peers also ``greedy``: what a frozen copy reaches,
        which is challenged after each epoch on so many instances.
    relative
        Advantages relative to the baseline instead of in the units of the objective.
    scored_rollouts
        In reinforcement, the part of the rollouts that the second pass scores.
    entropy
        In reinforcement, what a choice that is open is worth: it keeps a policy that has found
        something good from trying nothing else.
    step_price
        In reinforcement, what it costs to take twice as many parallel steps, over the objective.
    cut
        In reinforcement with relative advantages, the most that a bad rollout counts, in spreads of
        the advantages; zero leaves them. A few failures would drown everything else.
    averaging
        Weights are validated and kept as their mean over updates, each of which counts so many
        times as much as the next; zero keeps the last ones. Single updates are mostly noise.
    step_prices
        ``step_price`` for each range of ``sizes``, where one for all is not wanted.
    teacher_weight
        In reinforcement, the weight of an imitation loss on labelled instances beside it.
    learning_rate, milestones, decay
        Of Adam, times ``decay`` after each of these epochs.
    epochs, epoch_size
        Length of the run, and how many instances make an epoch.
    clip_norm
        Largest norm of a gradient; zero leaves it.
    gate
        Of the paper's network, γ of Eq. 5 at the beginning of a run; zero leaves it. Behind a gate
        that is all but closed the windows' branch learns nothing.
    teacher
        In distillation, the weights of our pointer that are learned from; it must append customers
        as the paper's environment does.
    label_sizes
        Ranges of the labelled instances; none: those of ``sizes``.
    label_shards
        Shards of each range that are used in all.
    label_iterations
        Search iterations per task for each label.
    scored_steps
        In imitation and distillation, random steps that are scored in an update.
    validation, validation_count, validate_every
        Settings, at most so many instances of each (``1000/20:128`` names its own number), and
        updates between two validations.
    monitor
        The setting by which the best weights are chosen; ``mean`` takes the geometric mean of all.
    snapshot_every
        Updates between two snapshots of the weights that are kept; zero keeps none.
    seed
        Of everything that is random.
    threads
        Of each process.
    """

    what: ClassVar[str] = "run"

    problem: Kind
    method: Method = "reinforce"
    learner: str = GEOPAR
    model: dict[str, Any] = field(default_factory=dict)
    variant: str = "paper"
    assignment: dict[str, Any] = field(default_factory=dict)
    draws: Draws = "in-turn"
    decoding: dict[str, Any] = field(default_factory=dict)
    sizes: tuple[str, ...] = ()
    crops: float = 0.0
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
    cut: float = 0.0
    averaging: float = 0.0
    step_prices: tuple[float, ...] = ()
    teacher_weight: float = 0.0
    learning_rate: float = 1e-4
    milestones: tuple[int, ...] = (80, 95)
    decay: float = 0.1
    epochs: int = 100
    epoch_size: int = 100_000
    clip_norm: float = 1.0
    gate: float = 0.0
    teacher: str = "pointer-appending"
    label_sizes: tuple[str, ...] = ()
    label_shards: int = 40
    label_iterations: int = 150
    scored_steps: int = 12
    validation: tuple[str, ...] = ()
    validation_count: int = 64
    validate_every: int = 200
    monitor: str = "mean"
    snapshot_every: int = 0
    seed: int = 1234
    threads: int = 1

    def __post_init__(self) -> None:
        faults = Faults()
        self._check_choices(faults)
        self._check_learner(faults)
        self._check_numbers(faults)
        self._check_sizes(faults)
        faults.raise_if_any()
        self._check_fleets(self.model_config())
        self.assignment_config()
        self.decoding_config()

    def _check_fleets(self, model: Settings) -> None:
        """A network for one number of vehicles must not meet another in the middle of a run."""
        vehicles, faults = getattr(model, "vehicles", None), Faults()
        for name in ("sizes", "validation"):
            for text in getattr(self, name):
                size = SizeRange.parse(text.partition(":")[0])
                if vehicles and size is not None and size.vehicles != (vehicles, vehicles):
                    message = f"{self.learner} learns for {vehicles} vehicles here."
                    hint = "Change model.vehicles, sizes and validation together."
                    faults.add("wrong-fleet", name, text, message, hint)
        faults.raise_if_any()

    def _check_choices(self, faults: Faults) -> None:
        choices: dict[str, tuple[str, ...]] = {
            "problem": KINDS,
            "method": ("imitate", "distil", "reinforce"),
            "draws": ("in-turn", "at-once"),
            "learner": (GEOPAR, POINTER, *peers(self.problem)),
            "baseline": ("shared", "state") if self.learner == GEOPAR else ("shared", "greedy"),
            "variant": tuple(ASSIGNMENT_VARIANTS),
            "monitor": ("mean", *(text.partition(":")[0] for text in self.validation)),
        }
        self.check_choices(faults, choices)

    def _check_learner(self, faults: Faults) -> None:
        """What only some networks can do."""
        usual: dict[str, Any] = {"method": "reinforce", "teacher_weight": 0.0}
        if self.learner == POINTER:
            usual |= {"variant": "plain", "assignment": {}, "baseline": "shared"}
        elif self.learner == GEOPAR:
            usual = {}
        else:
            usual |= {"scored_rollouts": 1.0, "entropy": 0.0, "step_price": 0.0, "step_prices": (),
                      "cut": 0.0, "assignment": {}}  # fmt: skip
        if self.learner != GEOPAR:
            usual |= {"gate": 0.0, "decoding": {}, "draws": "in-turn"}
        if self.method == "distil" and self.problem != "hcvrp":
            message = "needs a teacher that appends tasks, which there is for hcvrp alone."
            faults.add("not-for-learner", "method", self.method, message)
        for name, value in usual.items():
            if getattr(self, name) != value:
                message = f"is not for {self.learner}, which learns with {value}."
                faults.add("not-for-learner", name, getattr(self, name), message)

    def _check_numbers(self, faults: Faults) -> None:
        least = {
            "batch_size": 1, "most_rows": 1, "augmentations": 1, "samples": 1, "epochs": 1,
            "epoch_size": 1, "label_shards": 1, "label_iterations": 0, "scored_steps": 1,
            "validation_count": 1, "validate_every": 1, "seed": 0, "threads": 1,
            "teacher_weight": 0, "entropy": 0, "step_price": 0, "cut": 0,
            "averaging": 0, "clip_norm": 0,
            "baseline_instances": 2, "snapshot_every": 0,
        }  # fmt: skip
        self.check_ranges(faults, **{name: (low, math.inf) for name, low in least.items()})
        for name in ("learning_rate", "decay", "scored_rollouts"):
            if not 0.0 < getattr(self, name) <= 1.0:
                faults.add("out-of-range", name, getattr(self, name), "must be in (0, 1].")
        if not 0.0 <= self.crops <= 1.0:
            faults.add("out-of-range", "crops", self.crops, "must be in [0, 1].")
        if self.crops and self.method == "imitate":
            faults.add("out-of-range", "crops", self.crops, "is not for labelled instances.")
        if self.averaging >= 1.0:
            faults.add("out-of-range", "averaging", self.averaging, "must be below 1.")
        if self.cut and not self.relative:
            faults.add("out-of-range", "cut", self.cut, "is for relative advantages.")
        alone = self.augmentations * self.samples < 2
        if self.method == "reinforce" and self.baseline != "greedy" and alone:
            message = "times samples must be 2 or more: one rollout has no baseline."
            faults.add("out-of-range", "augmentations", self.augmentations, message)

    def _check_sizes(self, faults: Faults) -> None:
        if self.step_prices and len(self.step_prices) != len(self.sizes):
            message = f"must be {len(self.sizes)} numbers, one for each range of sizes."
            faults.add("out-of-range", "step_prices", self.step_prices, message)
        elif any(not price >= 0 for price in self.step_prices):
            faults.add("out-of-range", "step_prices", self.step_prices, "must be 0 or more each.")
        if not self.sizes:
            faults.add("missing-setting", "sizes", ..., "is missing.", "Maybe 60-100/3-7.")
        kind = kind_named(self.problem)
        for name in ("sizes", "label_sizes"):
            for text in getattr(self, name):
                found = SizeRange.parse(text)
                if found is None:
                    faults.add("bad-size", name, text, "is no range of sizes.", "Maybe 60-100/3-7.")
                elif kind is not None and found.tasks[0] < kind.tasks_per_order:
                    faults.add("bad-size", name, text, "has no room for an order.", "Maybe 50-100.")
        for text in self.validation:
            try:
                self._validation_setting(text)
            except InputError as error:
                faults.include(error)

    def _validation_setting(self, text: str) -> tuple[Setting, int]:
        found = _VALIDATION.fullmatch(text)
        setting = Setting.parse(f"{self.problem}/{found[1] if found else text}")
        if found is not None and found[2]:
            return setting, int(found[2])
        count = min(self.validation_count, MOST_VALIDATION_TASKS // setting.num_tasks)
        return setting, max(LEAST_VALIDATION_INSTANCES, count)

    def validation_settings(self) -> dict[str, tuple[Setting, int]]:
        """By name, the settings and how many instances of each."""
        return {t.partition(":")[0]: self._validation_setting(t) for t in self.validation}

    def model_config(self) -> Any:
        """The settings of the network that is trained."""
        own: dict[str, Any] = {GEOPAR: NetworkConfig, POINTER: PointerConfig}
        settings = own.get(self.learner) or peer_class(self.learner, self.problem).Config
        values = {"kind": self.problem} | self.model
        return read_settings(settings, values, "network", prefix="model.")

    def assignment_config(self) -> AssignmentConfig:
        """How joint actions of the paper's network are sampled."""
        usual = dataclasses.asdict(AssignmentConfig.of_paper(self.problem))
        values = usual | ASSIGNMENT_VARIANTS[self.variant] | self.assignment
        return read_settings(AssignmentConfig, values, "assignment", prefix="assignment.")

    def decoding_config(self) -> Decoding | None:
        """How weights of the paper's network decode from now on; None if as they do."""
        if not self.decoding:
            return None
        values = self.decoding | {}
        mode, faults = values.pop("mode", "greedy"), Faults()
        if mode not in MODES:
            hint = f"Maybe one of: {', '.join(MODES)}."
            faults.add("unknown-value", "decoding.mode", mode, "is no way to decode.", hint)
        faults.raise_if_any()
        values = dataclasses.asdict(AssignmentConfig.of_paper(self.problem)) | values
        return Decoding(
            mode, read_settings(AssignmentConfig, values, "assignment", prefix="decoding.")
        )

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

    def changed(self, changes: dict[str, str]) -> TrainConfig:
        """With settings given as text, such as ``{"learning_rate": "3e-4"}``.

        A dot names a part: ``model.layers`` or ``assignment.temperature``.

        Raises
        ------
        geopar.errors.InputError
            For unknown names, or values that do not fit.
        """
        values = self.to_json()
        for name, text in changes.items():
            whole, _, part = name.partition(".")
            if part and isinstance(values.get(whole), dict):
                values[whole] = values[whole] | {part: value_of(text)}
            elif isinstance(values.get(name), list):
                values[name] = [self._element(name, p) for p in text.split(",") if p]
            else:
                values[name] = value_of(text)
        return TrainConfig.from_json(values)

    @staticmethod
    def _element(name: str, text: str) -> Any:
        return value_of(text) if name in ("milestones", "step_prices") else text


# By problem: what the paper trains and validates on, and the setting by which it chooses weights.
_OF_PAPER: dict[Kind, dict[str, Any]] = {
    "hcvrp": {
        "sizes": ("60-100/3-7",), "augmentations": 10,
        "validation": ("60/3", "60/5", "100/7", "300/12"), "monitor": "60/5",
    },
    "omdcpdp": {
        "sizes": ("50-100/10-50",), "augmentations": 8,
        "validation": ("50/5", "50/7", "100/20", "300/12"), "monitor": "100/20",
    },
}  # fmt: skip
# Of our pointer: rollouts that share what was seen of an instance, which cost least.
_OF_POINTER: dict[str, Any] = {
    "augmentations": 1, "samples": 16, "batch_size": 16, "relative": True, "variant": "plain",
    "learning_rate": 5e-4, "epoch_size": 3200, "milestones": (), "monitor": "mean",
}  # fmt: skip
_POINTER_SIZES: dict[Kind, tuple[str, ...]] = {"omdcpdp": ("40-100/2-5", "40-100/4-20")}
# Of imitation: networks with an encoder are unstable at higher rates.
_OF_IMITATION: dict[str, Any] = {
    "batch_size": 32, "learning_rate": 2e-4, "epoch_size": 3200, "epochs": 60,
    "milestones": (40, 52), "decay": 0.3,
}  # fmt: skip
_IMITATED_SIZES: dict[Kind, tuple[str, ...]] = {
    "hcvrp": ("40-100/3-12",), "omdcpdp": ("40-100/4-20",),
}  # fmt: skip


def default_config(
    problem: Kind, method: Method = "reinforce", learner: str = GEOPAR
) -> TrainConfig:
    """The settings of the learner's own paper; those of our pointer and of imitation are ours."""
    own = dict(_OF_PAPER[problem])
    if learner == POINTER:
        own |= _OF_POINTER | {"sizes": _POINTER_SIZES.get(problem, own["sizes"])}
    elif learner in peers(problem):
        own |= {"monitor": "mean"} | peer_class(learner, problem).recipe(problem)
    if method == "imitate":
        own |= _OF_IMITATION | {"sizes": _IMITATED_SIZES[problem]}
    return TrainConfig(problem=problem, method=method, learner=learner, **own)
