"""A training run: updates, checkpoints, logs, validation; resumed, it repeats itself exactly.

What an update does depends on the weights, the optimiser and the update's number alone: every
random stream is made anew from the seed, the number and the process. So a checkpoint needs no
random states, and when it is written changes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from geopar.errors import GeoparError, refuse
from geopar.learn.averaging import Averaged
from geopar.learn.checkpoint import read_checkpoint, write_tensors
from geopar.learn.config import SizeRange, TrainConfig, size_ranges
from geopar.learn.data import Source
from geopar.learn.distil import find_teacher
from geopar.learn.distributed import Alone, Processes
from geopar.learn.labels import labels_of
from geopar.learn.learner import make_learner
from geopar.learn.logbook import Logbook
from geopar.learn.reinforce import RolloutConfig
from geopar.learn.validate import Validated, validate
from geopar.neural.cards import save_weights

CHECKPOINT, BEST, LAST = "checkpoint.pt", "best.safetensors", "last.safetensors"
SNAPSHOTS = "snapshots"
CHECKPOINT_SECONDS = 45.0
LOG_EVERY = 10
# A rollout has about as many agent-steps as tasks and trips; half as much again for waits.
AGENT_STEPS_PER_TASK = 1.5


class NotFiniteError(GeoparError):
    """The weights stopped being numbers; the last good ones are kept."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What is told while a run goes on."""

    step: int
    steps: int
    seconds: float
    rate: float
    """Rollouts, or labelled instances, per second."""
    values: dict[str, float]
    validation: dict[str, Validated] | None = None


@dataclass
class Counters:
    """What a run has done so far."""

    step: int = 0
    instances: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    best: float = math.inf
    origin: dict[str, Any] = field(default_factory=dict)
    """How the weights that it began with came about."""
    sums: dict[str, float] = field(default_factory=dict)
    """Of what updates say, since the last row of the log."""
    noted: int = 0


class Run:
    """One run in its folder.

    Parameters
    ----------
    config
        The settings.
    folder
        Where everything is kept.
    labels
        Where labelled instances are kept, for all runs.
    processes
        Those that train together.
    device
        Where the network is.
    recipe
        The recipe that it is a stage of, for the card.
    """

    def __init__(
        self,
        config: TrainConfig,
        folder: Path,
        labels: Path,
        processes: Processes | None = None,
        device: str = "cpu",
        recipe: str = "",
    ) -> None:
        self.config, self.folder, self.recipe = config, folder, recipe
        self.processes: Processes = processes or Alone()
        self.learner = make_learner(config)
        self.learner.network.to(device)
        self.device = torch.device(device)
        self.optimiser = torch.optim.Adam(
            self.learner.network.parameters(), lr=config.learning_rate
        )
        self.averaged = Averaged(self.learner.network, config.averaging)
        self.count = Counters()
        self.sizes = size_ranges(config.sizes)
        self.teacher: Any = None
        if config.method == "distil":
            if self.device.type != "cpu":
                message = "is no place for a teacher, which is compiled for CPUs."
                refuse("bad-device", "device", device, message, "Maybe cpu.")
            self.teacher = find_teacher(config)
        self.label_sizes = size_ranges(config.label_sizes) or self.sizes
        self.labels = labels_of(config, labels)

    @property
    def step(self) -> int:
        """How many updates were made."""
        return self.count.step

    @property
    def is_over(self) -> bool:
        """Whether all updates of the configuration were made."""
        return self.count.step >= self.config.steps

    def start_from(self, weights: str) -> None:
        """Begin with other weights: a run's folder, a file, or a name such as ``pointer``."""
        folder = Path(weights)
        self.count.origin = self.learner.load(str(folder / BEST) if folder.is_dir() else weights)
        self.learner.network.to(self.device)
        self.averaged.restart()

    def save(self) -> None:
        """Write the checkpoint."""
        if self.processes.rank:
            return
        write_tensors(
            self.folder / CHECKPOINT,
            {
                "network": self.learner.network.state_dict(),
                # Of the weights that it began with: what validation goes by.
                "decoding": self.learner.network.decoding.to_json(),
                "optimiser": self.optimiser.state_dict(),
                "learner": self.learner.state(),
                "averaged": self.averaged.state(),
                "count": vars(self.count),
            },
        )

    def load(self) -> None:
        """Go on from the checkpoint.

        Raises
        ------
        geopar.errors.InputError
            When there is none, or it is damaged or of another network.
        """
        own = {name: tensor.shape for name, tensor in self.learner.network.state_dict().items()}
        stored = read_checkpoint(self.folder / CHECKPOINT, own)
        network = self.learner.network
        network.load_state_dict(stored["network"])
        if "decoding" in stored:
            network.decoding = network.Decoding.from_json(stored["decoding"])
        self.optimiser.load_state_dict(stored["optimiser"])
        self.learner.restore(stored["learner"])
        self.averaged.restore(stored.get("averaged", {}))
        self.count = Counters(**stored["count"])

    def update(self) -> dict[str, float]:
        """One update of the weights.

        Raises
        ------
        NotFiniteError
            When the gradient or a weight is not finite; the weights are as before.
        """
        config, processes, step = self.config, self.processes, self.count.step
        seeds = np.random.SeedSequence([config.seed, step, processes.rank])
        rng = np.random.default_rng(seeds)
        generator = torch.Generator(self.device).manual_seed(int(seeds.generate_state(1)[0]))
        # All processes draw the same size, so that none waits for another.
        shared = np.random.default_rng([config.seed, step])
        self.optimiser.zero_grad()
        values: dict[str, float] = {}
        if config.method == "reinforce":
            values |= self._reinforce(shared, generator)
        elif config.method == "distil":
            values |= self._distil(shared, generator)
        weight = 1.0 if config.method == "imitate" else config.teacher_weight
        if weight:
            values |= self._imitate(weight, rng, shared, generator)
        processes.average(self.learner.network)
        norm = torch.nn.utils.clip_grad_norm_(
            self.learner.network.parameters(), config.clip_norm or math.inf
        )
        values["gradient"] = float(norm)
        if not math.isfinite(values["gradient"]):
            raise NotFiniteError(
                f"the gradient of update {step + 1} is not finite; the weights before it are kept. "
                "Maybe a lower learning_rate, from the last snapshot or best weights."
            )
        for group in self.optimiser.param_groups:
            group["lr"] = config.rate_at(step)
        self.optimiser.step()
        self.count.step += 1
        self.averaged.add(self.count.step)
        self.count.instances += config.batch_size
        self.learner.after_update(self.count.step)
        return values

    def _imitate(
        self,
        weight: float,
        rng: np.random.Generator,
        shared: np.random.Generator,
        generator: torch.Generator,
    ) -> dict[str, float]:
        config = self.config
        labels = self.labels[int(shared.integers(len(self.labels)))]
        shard = labels.shard(int(shared.integers(config.label_shards)))
        count = max(1, config.batch_size // self.processes.size)
        total = len(shard["actions"])
        rows = rng.permutation(total)[: min(count, total)]
        learner: Any = self.learner  # of the paper's network: the configuration refuses others
        found = learner.imitate(shard, rows, config.scored_steps, generator, weight)
        return {"imitation": float(found.loss.detach()), "agreement": found.agreement}

    def _reinforce(
        self, shared: np.random.Generator, generator: torch.Generator
    ) -> dict[str, float]:
        config = self.config
        number = int(shared.integers(len(self.sizes)))
        size = self.sizes[number]
        rollouts = RolloutConfig(
            augmentations=config.augmentations,
            samples=config.samples,
            relative=config.relative,
            scored=config.scored_rollouts,
            entropy=config.entropy,
            step_price=config.step_prices[number] if config.step_prices else config.step_price,
            cut=config.cut,
        )
        draw = self._source(size, shared)
        whole = left = max(1, config.batch_size // self.processes.size)
        copies = config.augmentations * config.samples
        at_once = max(1, config.most_rows // int(AGENT_STEPS_PER_TASK * draw.tasks * copies))
        values = {"cost": 0.0, "spread": 0.0, "steps": 0.0}
        while left:
            count = min(left, at_once)
            left -= count
            batch = draw(count)
            share = count / whole
            found = self.learner.reinforce(batch.to(self.device), rollouts, generator, share)
            for name in values:
                values[name] += share * getattr(found, name)
        return values

    def _distil(self, shared: np.random.Generator, generator: torch.Generator) -> dict[str, float]:
        config = self.config
        learner: Any = self.learner  # of the paper's network, as for imitation
        draw = self._source(self.sizes[int(shared.integers(len(self.sizes)))], shared)
        batch = draw(max(1, config.batch_size // self.processes.size))
        found = learner.distil(batch, self.teacher, config.samples, config.scored_steps, generator)
        return {"imitation": float(found.loss.detach()), "agreement": found.agreement}

    def _source(self, size: SizeRange, shared: np.random.Generator) -> Source:
        """Of instances of one size for this process; all processes have the same size."""
        rng = np.random.default_rng([int(shared.integers(1 << 30)), self.processes.rank])
        tasks = int(shared.integers(size.tasks[0], size.tasks[1], endpoint=True))
        vehicles = int(shared.integers(size.vehicles[0], size.vehicles[1], endpoint=True))
        cropped = bool(self.config.crops) and bool(shared.random() < self.config.crops)
        return Source(self.config.problem, tasks, vehicles, rng, cropped=cropped)

    def validate(self) -> dict[str, Validated]:
        """One greedy pass over the validation instances of each setting."""
        settings = self.config.validation_settings()
        return {
            name: validate(self.learner, setting, count)
            for name, (setting, count) in settings.items()
        }

    def judge(self, found: dict[str, Validated]) -> bool:
        """Whether these are the best weights so far; if so, keep them."""
        if not found:
            return False
        if self.config.monitor == "mean":
            value = math.exp(np.mean([math.log(v.objective) for v in found.values()]))
        else:
            value = found[self.config.monitor].objective
        if value >= self.count.best:
            return False
        self.count.best = value
        if not self.processes.rank:
            self._keep(self.folder / BEST, found)
        return True

    def _keep(self, path: Path, found: dict[str, Validated]) -> None:
        validation = {name: _finite(v._asdict()) for name, v in found.items()}
        save_weights(path, self.learner.network, self.history(), validation)

    def history(self) -> dict[str, Any]:
        """How the weights came about, for their card."""
        count, origin = self.count, self.count.origin
        ranges = [*self.sizes, *(self.label_sizes if self.labels else [])]
        most = max(size.tasks[1] for size in ranges)
        hours = count.cpu_seconds / 3600.0
        return ({"recipe": self.recipe} if self.recipe else {}) | {
            "settings": self.config.to_json(),
            "updates": count.step,
            "instances": count.instances,
            "hours": round(count.seconds / 3600.0, 3),
            "cpu_hours": round(hours, 3),
            "cpu_hours_in_all": round(hours + origin.get("cpu_hours_in_all", 0.0), 3),
            "most_tasks_seen": max(most, origin.get("most_tasks_seen", 0)),
            "after": origin,
        }

    def train(
        self,
        minutes: float | None = None,
        tell: Callable[[Progress], None] = lambda _: None,
        cpu_minutes: float | None = None,
    ) -> None:
        """Train to the end of the configuration, or until the time is over.

        Parameters
        ----------
        minutes
            Of this call, by the clock.
        tell
            Is told how it goes.
        cpu_minutes
            Of the whole run, earlier calls included, by the processor time of this process: what
            equal budgets are measured in on a busy machine.
        """
        config, count = self.config, self.count
        book = Logbook(self.folder, count.step) if self.processes.rank == 0 else None
        clock = _Clock(count, minutes, cpu_minutes)
        copies = 1 if config.method == "imitate" else config.augmentations * config.samples
        try:
            while not self.is_over:
                self._note(self.update())
                clock.read(count)
                ends = clock.is_limited and self.processes.agree(clock.is_over(count))
                last = ends or self.is_over
                if count.step % LOG_EVERY == 0 or last:
                    rate = clock.lap(count) * config.batch_size * copies
                    means = self._means() | self.learner.statistics()
                    tell(Progress(count.step, config.steps, count.seconds, rate, means))
                    if book is not None:
                        book.updates(count.step, count.seconds, count.instances, rate,
                                     config.rate_at(count.step - 1), means)  # fmt: skip
                # What a limited run ends with is judged too, or a short one would leave no weights.
                if count.step % config.validate_every == 0 or last:
                    self._validate(book, tell)
                    clock.restart_lap(count)
                if config.snapshot_every and count.step % config.snapshot_every == 0:
                    self._snapshot()
                if clock.checkpoint_is_due():
                    self.save()
                if ends:
                    break
            self.save()
        except NotFiniteError:
            self.save()
            raise
        finally:
            if book is not None:
                book.close()

    def _validate(self, book: Logbook | None, tell: Callable[[Progress], None]) -> None:
        if book is None:
            return
        count = self.count
        with self.averaged.in_place():
            found = self.validate()
            self.judge(found)
            if self.is_over:
                self._keep(self.folder / LAST, found)
        book.validation(count.step, count.seconds, found)
        tell(Progress(count.step, self.config.steps, count.seconds, 0.0, {}, found))

    def _snapshot(self) -> None:
        if not self.processes.rank:
            with self.averaged.in_place():
                self._keep(self.folder / SNAPSHOTS / f"{self.count.step:08}.safetensors", {})

    def _note(self, values: dict[str, float]) -> None:
        """Add what an update says to what the next row of the log is the mean of."""
        self.count.noted += 1
        for name, value in values.items():
            self.count.sums[name] = self.count.sums.get(name, 0.0) + value

    def _means(self) -> dict[str, float]:
        """Means since the last call."""
        means = {name: total / self.count.noted for name, total in self.count.sums.items()}
        self.count.sums, self.count.noted = {}, 0
        return means


class _Clock:
    """The time of one call of :meth:`Run.train`."""

    def __init__(self, count: Counters, minutes: float | None, cpu_minutes: float | None) -> None:
        self.is_limited = minutes is not None or cpu_minutes is not None
        self._most = math.inf if minutes is None else 60.0 * minutes
        self._most_cpu = math.inf if cpu_minutes is None else 60.0 * cpu_minutes
        self._begun = self._saved = self._lap = time.monotonic()
        self._lap_step = count.step
        self._before = count.seconds
        self._cpu_before = count.cpu_seconds - time.process_time()

    def read(self, count: Counters) -> None:
        """Bring the run's own counters up to date."""
        count.seconds = self._before + time.monotonic() - self._begun
        count.cpu_seconds = self._cpu_before + time.process_time()

    def is_over(self, count: Counters) -> bool:
        """Whether a limit was reached."""
        spent = count.seconds - self._before
        return spent > self._most or count.cpu_seconds > self._most_cpu

    def lap(self, count: Counters) -> float:
        """Updates a second since the last lap."""
        now = time.monotonic()
        rate = (count.step - self._lap_step) / max(now - self._lap, 1e-9)
        self._lap, self._lap_step = now, count.step
        return rate

    def restart_lap(self, count: Counters) -> None:
        """Leave out what was not updates."""
        self._lap, self._lap_step = time.monotonic(), count.step

    def checkpoint_is_due(self) -> bool:
        """Whether the last one is long ago; if so, the next is not before as long again."""
        now = time.monotonic()
        if now - self._saved <= CHECKPOINT_SECONDS:
            return False
        self._saved = now
        return True


def _finite(values: dict[str, float]) -> dict[str, float]:
    """Cards hold no NaN: a bound that does not apply is left out."""
    return {name: round(value, 5) for name, value in values.items() if math.isfinite(value)}
