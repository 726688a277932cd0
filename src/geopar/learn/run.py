"""A training run: updates, checkpoints, logs, validation; resumed, it repeats itself exactly.

What an update does depends on the weights, the optimiser and the update's number alone: every
random stream is made anew from the seed, the number and the process. So a checkpoint needs no
random states, and when it is written changes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from geopar.errors import Faults
from geopar.learn.baseline import Baseline, make_baseline
from geopar.learn.configuration import OURS, SizeRange, TrainConfig
from geopar.learn.crew import Alone, Crew
from geopar.learn.data import draw_batch
from geopar.learn.imitate import imitation_loss
from geopar.learn.labels import LabelConfig, Labels
from geopar.learn.logbook import Logbook
from geopar.learn.peer_reinforce import reinforce_peer
from geopar.learn.reinforce import reinforce
from geopar.learn.sharpen import sharpened
from geopar.learn.storage import read_checkpoint, write_tensors
from geopar.learn.validate import Validated, validate
from geopar.model.configuration import ModelConfig
from geopar.model.policy import Policy
from geopar.model.weights import find_weights, load_weights, read_card, save_weights
from geopar.peers.peer import Peer
from geopar.peers.registry import make_peer
from geopar.peers.weights import load_peer
from geopar.problems.setting import Setting

CHECKPOINT, BEST = "checkpoint.pt", "best.safetensors"
CHECKPOINT_SECONDS = 45.0
LOG_EVERY = 10


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
    crew
        The processes.
    """

    def __init__(
        self, config: TrainConfig, folder: Path, labels: Path, crew: Crew | None = None
    ) -> None:
        torch.set_num_threads(config.threads)
        self.config, self.folder = config, folder
        self.crew: Crew = crew or Alone()
        torch.manual_seed(config.seed)
        self.policy = _network(config)
        self.optimiser = torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate)
        self.assignment = config.assignment_config()
        self.step, self.seconds, self.instances = 0, 0.0, 0
        self.cpu_seconds = 0.0
        self.best = math.inf
        self.origin: dict[str, Any] = {}
        self.sums: dict[str, float] = {}
        self.noted = 0
        self.labels = [
            Labels(
                LabelConfig(
                    config.problem, size.tasks, size.vehicles,
                    iterations_per_task=config.label_iterations,
                    sketches=config.model_config().sketches,
                ),
                labels,
            )
            for size in _ranges(config.label_sizes or config.sizes)
            if config.learner == OURS
        ]  # fmt: skip
        self.sizes = _ranges(config.sizes)
        self.baseline: Baseline | None = None
        if isinstance(self.policy, Peer):
            self.baseline = make_baseline(self.policy, config, self.sizes)

    def start_from(self, weights: str) -> None:
        """Begin with other weights: a run's folder, a file, or a name such as ``small``."""
        folder = Path(weights)
        name = str(folder / BEST) if folder.is_dir() else weights
        path = find_weights(self.config.problem, name)
        policy: Policy | Peer
        if self.config.learner == OURS:
            policy = sharpened(load_weights(self.config.problem, str(path)), self.config.sharpness)
        else:
            policy = load_peer(self.config.learner, self.config.problem, str(path))
        if not _same_weights_fit(policy.config, self.policy.config):
            faults = Faults()
            faults.add(
                "other-network", "from", weights, "holds a network with other settings.",
                "Maybe the same preset and model settings, the clip times the sharpness.",
            )  # fmt: skip
            faults.raise_now()
        self.policy.load_state_dict(policy.state_dict())
        if isinstance(self.policy, Peer):
            self.baseline = make_baseline(self.policy, self.config, self.sizes)
        self.origin = read_card(path).training

    def save(self) -> None:
        """Write the checkpoint."""
        if self.crew.rank:
            return
        write_tensors(
            self.folder / CHECKPOINT,
            ({} if self.baseline is None else {"baseline": self.baseline.state()})
            | {
                "policy": self.policy.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "step": self.step,
                "seconds": self.seconds,
                "cpu_seconds": self.cpu_seconds,
                "instances": self.instances,
                "best": self.best,
                "origin": self.origin,
                "sums": self.sums,
                "noted": self.noted,
            },
        )

    def load(self) -> None:
        """Go on from the checkpoint."""
        stored = read_checkpoint(self.folder / CHECKPOINT)
        own = {name: tensor.shape for name, tensor in self.policy.state_dict().items()}
        if own != {name: tensor.shape for name, tensor in stored["policy"].items()}:
            faults = Faults()
            faults.add(
                "wrong-version", "resume", str(self.folder),
                "was begun by an older geopar, whose network was told less.",
                f"Maybe begin a new run with --from {self.folder}.",
            )  # fmt: skip
            faults.raise_now()
        self.policy.load_state_dict(stored["policy"])
        self.optimiser.load_state_dict(stored["optimiser"])
        self.step, self.seconds = stored["step"], stored["seconds"]
        # Older checkpoints did not count it.
        self.cpu_seconds = stored.get("cpu_seconds", 0.0)
        self.instances, self.best = stored["instances"], stored["best"]
        self.origin = stored["origin"]
        if self.baseline is not None:
            self.baseline.restore(stored["baseline"])
        self.sums, self.noted = dict(stored["sums"]), stored["noted"]

    def update(self) -> dict[str, float]:
        """One update of the weights."""
        config, crew = self.config, self.crew
        seeds = np.random.SeedSequence([config.seed, self.step, crew.rank])
        rng = np.random.default_rng(seeds)
        generator = torch.Generator().manual_seed(int(seeds.generate_state(1)[0]))
        # All processes draw the same size, so that none waits for another.
        shared = np.random.default_rng([config.seed, self.step])
        self.optimiser.zero_grad()
        if config.method == "imitate":
            values = self._imitate(1.0, rng, shared, generator)
        else:
            values = self._reinforce(rng, shared, generator)
            if config.teacher_weight:
                values |= self._imitate(config.teacher_weight, rng, shared, generator)
        crew.average(self.policy)
        if config.clip_norm:
            norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), config.clip_norm)
            values["gradient"] = float(norm)
        for group in self.optimiser.param_groups:
            group["lr"] = config.rate_at(self.step)
        self.optimiser.step()
        self.step += 1
        self.instances += config.batch_size
        if self.baseline is not None and isinstance(self.policy, Peer):
            self.baseline.after_update(self.policy, self.step)
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
        number = int(shared.integers(config.label_shards))
        shard = labels.shard(number)
        count = max(1, config.batch_size // self.crew.size)
        total = len(shard["actions"])
        rows = rng.permutation(total)[: min(count, total)]
        assert isinstance(self.policy, Policy)
        found = imitation_loss(self.policy, shard, rows, config.scored_steps, generator)
        (weight * found.loss).backward()  # type: ignore[no-untyped-call]
        return {"imitation": float(found.loss.detach()), "agreement": found.agreement}

    def _reinforce(
        self, rng: np.random.Generator, shared: np.random.Generator, generator: torch.Generator
    ) -> dict[str, float]:
        config = self.config
        number = int(shared.integers(len(self.sizes)))
        size = self.sizes[number]
        price = config.step_prices[number] if config.step_prices else config.step_price
        # A rollout has about as many agent-steps as tasks and trips; half as much again for waits.
        rows = int(shared.integers(1 << 30))
        drawn = np.random.default_rng([rows, self.crew.rank])
        tasks = int(shared.integers(size.tasks[0], size.tasks[1], endpoint=True))
        vehicles = int(shared.integers(size.vehicles[0], size.vehicles[1], endpoint=True))
        left = max(1, config.batch_size // self.crew.size)
        copies = config.augmentations * config.samples
        at_once = max(1, config.most_rows // int(1.5 * tasks * copies))
        whole, cost, spread = left, 0.0, 0.0
        while left:
            count = min(left, at_once)
            left -= count
            batch = draw_batch(config.problem, (tasks, tasks), (vehicles, vehicles), count, drawn)
            share = count / whole
            if isinstance(self.policy, Peer):
                assert self.baseline is not None
                found = reinforce_peer(
                    self.policy, batch, self.baseline, config.augmentations, config.samples,
                    config.relative, generator, share,
                )  # fmt: skip
            else:
                found = reinforce(
                    self.policy, batch, self.assignment, config.augmentations, config.samples,
                    config.relative, generator, share, config.scored_rollouts, config.entropy,
                    price,
                )  # fmt: skip
            cost, spread = cost + share * found.cost, spread + share * found.spread
        return {"cost": cost, "spread": spread}

    def validate(self) -> dict[str, Validated]:
        """One greedy pass over the validation instances of each setting."""
        found = {}
        for name in self.config.validation:
            setting = Setting.parse(f"{self.config.problem}/{name}")
            count = max(4, min(self.config.validation_count, 6400 // setting.num_tasks))
            found[name] = validate(self.policy, setting, count)
        return found

    def judge(self, found: dict[str, Validated]) -> bool:
        """Whether these are the best weights so far; if so, keep them."""
        if not found:
            return False
        if self.config.monitor == "mean":
            value = math.exp(np.mean([math.log(v.objective) for v in found.values()]))
        else:
            value = found[self.config.monitor].objective
        if value >= self.best:
            return False
        self.best = value
        if not self.crew.rank:
            validation = {name: _finite(v._asdict()) for name, v in found.items()}
            save_weights(self.folder / BEST, self.policy, self.history(), validation)
        return True

    def history(self) -> dict[str, Any]:
        """How the weights came about, for their card."""
        ranges = [*self.sizes, *(_ranges(self.config.label_sizes) or self.sizes)]
        most = max(size.tasks[1] for size in ranges)
        return {
            "settings": self.config.to_json(),
            "updates": self.step,
            "instances": self.instances,
            "hours": round(self.seconds / 3600.0, 3),
            "cpu_hours": round(self.cpu_seconds / 3600.0, 3),
            "most_tasks_seen": max(most, self.origin.get("most_tasks_seen", 0)),
            "hours_in_all": round(self.seconds / 3600.0 + self.origin.get("hours_in_all", 0.0), 3),
            "after": self.origin,
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
        config, crew = self.config, self.crew
        book = Logbook(self.folder, self.step) if crew.rank == 0 else None
        begun = saved = lap = time.monotonic()
        before, lap_step = self.seconds, self.step
        cpu_before = self.cpu_seconds - time.process_time()
        copies = 1 if config.method == "imitate" else config.augmentations * config.samples
        is_limited = minutes is not None or cpu_minutes is not None
        most_seconds = math.inf if minutes is None else 60.0 * minutes
        most_cpu_seconds = math.inf if cpu_minutes is None else 60.0 * cpu_minutes
        while self.step < config.steps:
            self._note(self.update())
            now = time.monotonic()
            self.seconds = before + now - begun
            self.cpu_seconds = cpu_before + time.process_time()
            is_over = is_limited and crew.agree(
                now - begun > most_seconds or self.cpu_seconds > most_cpu_seconds
            )
            last = self.step == config.steps
            if self.step % LOG_EVERY == 0 or last:
                rollouts = (self.step - lap_step) * config.batch_size * copies
                rate = rollouts / max(now - lap, 1e-9)
                means = self._means()
                tell(Progress(self.step, config.steps, self.seconds, rate, means))
                if book is not None:
                    book.updates(
                        self.step, self.seconds, self.instances, rate,
                        config.rate_at(self.step - 1), means,
                    )  # fmt: skip
                lap, lap_step = now, self.step
            # What a limited run ends with is judged too, or a short one would leave no weights.
            if self.step % config.validate_every == 0 or last or is_over:
                if book is not None:
                    found = self.validate()
                    self.judge(found)
                    book.validation(self.step, self.seconds, found)
                    tell(Progress(self.step, config.steps, self.seconds, 0.0, {}, found))
                lap, lap_step = time.monotonic(), self.step
            now = time.monotonic()
            if now - saved > CHECKPOINT_SECONDS:
                self.save()
                saved = now
            if is_over:
                break
        self.save()
        if book is not None:
            book.close()

    def _note(self, values: dict[str, float]) -> None:
        """Add what an update says to what the next row of the log is the mean of."""
        self.noted += 1
        for name, value in values.items():
            self.sums[name] = self.sums.get(name, 0.0) + value

    def _means(self) -> dict[str, float]:
        """Means since the last call."""
        means = {name: total / self.noted for name, total in self.sums.items()}
        self.sums, self.noted = {}, 0
        return means


def _network(config: TrainConfig) -> Policy | Peer:
    """Ours, or a peer's."""
    if config.learner == OURS:
        return Policy(config.model_config())
    return make_peer(config.learner, config.peer_config())


def _ranges(texts: tuple[str, ...]) -> list[SizeRange]:
    found = [SizeRange.parse(text) for text in texts]
    return [size for size in found if size is not None]


def _finite(values: dict[str, float]) -> dict[str, float]:
    """Cards hold no NaN: a bound that does not apply is left out."""
    return {name: round(value, 5) for name, value in values.items() if math.isfinite(value)}


def _same_weights_fit(one: Any, other: Any) -> bool:
    """Whether networks differ in nothing, or in how good their sketches are and who may wait."""
    if isinstance(one, ModelConfig) and isinstance(other, ModelConfig):
        other = replace(other, turns=one.turns, waits=one.waits)
        seen = one.sketches > 0 and other.sketches > 0
        other = replace(other, sketches=one.sketches) if seen else other
    return bool(one == other)
