"""What every learned peer is: a network that rolls out plans for a batch of instances.

A peer says what it makes of instances (:meth:`Peer.encode`) and what one step is
(:meth:`Peer.step`); the loop, sampling, recording and time limits are here, once for all.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import torch
from torch import Tensor

from geopar.errors import Faults
from geopar.neural.network import Network
from geopar.neural.recorder import Recorder
from geopar.problems.batch import Batch
from geopar.problems.kinds import Kind
from geopar.settings import Settings
from geopar.stop import Budget, OutOfTimeError

PeerMode = Literal["greedy", "sample"]


@dataclass(frozen=True, slots=True)
class PeerConfig(Settings):
    """Settings that all peers have; each may add its own and has its paper's as defaults.

    Parameters
    ----------
    kind
        The problem that it is for.
    width, heads, layers, feedforward
        Of the encoder.
    clip
        Logits are so many times a tanh.
    """

    kind: Kind
    width: int = 128
    heads: int = 8
    layers: int = 3
    feedforward: int = 512
    clip: float = 10.0

    def __post_init__(self) -> None:
        faults = Faults()
        most = math.inf
        self.check_ranges(
            faults, width=(2, most), heads=(1, most), layers=(0, most), feedforward=(1, most)
        )
        self.check_positive(faults, "clip")
        if self.heads >= 1 and self.width % self.heads:
            faults.add("out-of-range", "width", self.width, f"must divide by heads = {self.heads}.")
        faults.raise_if_any()


@dataclass(frozen=True, slots=True)
class Greedy(Settings):
    """How peers are decoded, for their cards."""

    what: ClassVar[str] = "decoding"

    mode: Literal["greedy"] = "greedy"


@dataclass(frozen=True)
class Chooser:
    """Turns logits into choices: the best, or random ones.

    Parameters
    ----------
    sampling
        Whether choices are random.
    generator
        Of all that is random, also of what is so in a greedy episode, such as who wins a tie.
    """

    sampling: bool
    generator: torch.Generator

    def __call__(self, logits: Tensor) -> Tensor:
        """``(…)`` columns of ``(…, K)`` logits; excluded ones are −∞."""
        if not self.sampling:
            return logits.argmax(-1)
        # The largest of log-weights plus Gumbel noise is a draw from them.
        noise = torch.empty_like(logits).exponential_(generator=self.generator).log()
        return (logits.detach() - noise).argmax(-1)


def log_prob_of(logits: Tensor, choice: Tensor) -> Tensor:
    """``(…)``: log-probabilities of choices among ``(…, K)`` logits."""
    picked = logits.gather(-1, choice[..., None])[..., 0]
    return picked - logits.logsumexp(-1)


class Step(NamedTuple):
    """One step of an episode.

    Parameters
    ----------
    state
        The state after it.
    action
        ``(B, R, M)``: what each vehicle did, as :mod:`geopar.problems.environment` has it.
    log_prob
        ``(B, R)``, when choices are random.
    choice
        ``(B, R, …)``: what was chosen, in the peer's own terms, for :meth:`Peer.log_prob`.
    """

    state: Any
    action: Tensor
    log_prob: Tensor | None
    choice: Tensor | None = None


@dataclass(frozen=True, eq=False)
class PeerRollout:
    """Finished episodes, ``R`` of each instance.

    Parameters
    ----------
    batch
        The instances.
    cost
        ``(B, R)`` float64, in the user's units.
    steps
        ``(B, R)``: until the instance was done.
    log_prob
        ``(B, R)`` with gradients where they are on; none for greedy episodes.
    recorder
        What was done, where asked for: ``recorder.plans(problems)``.
    states, choices
        Before each step and in it, where asked for.
    """

    batch: Batch
    cost: Tensor
    steps: Tensor
    log_prob: Tensor | None
    recorder: Recorder | None
    states: list[Any]
    choices: list[Tensor]


class Peer(Network, ABC):
    """A learned peer.

    A subclass names itself (``learner``), its settings (``Config``) and those of its paper's
    training (``recipe``). Its module ends with its ``solver``, which :mod:`geopar.solver` lists
    under the same name.
    """

    # Whether training rolls out without gradients and then scores all steps at once, which pays
    # where a step has few rows; it needs `log_prob` and the choices of the steps.
    two_passes: ClassVar[bool] = False
    Config: ClassVar[type[PeerConfig]] = PeerConfig
    Decoding = Greedy

    def __init__(self, config: PeerConfig) -> None:
        super().__init__()
        self.config, self.decoding = config, Greedy()

    @classmethod
    def recipe(cls, kind: Kind) -> dict[str, Any]:
        """The paper's settings of a training run: names and values of ``TrainConfig``."""
        return {}

    @classmethod
    def config_for(cls, kind: Any, num_vehicles: int) -> PeerConfig:
        """The paper's settings of a network that solves instances with so many vehicles."""
        return cls.Config(kind)

    @classmethod
    def weights_for(cls, num_vehicles: int) -> str:
        """The name of the weights for so many vehicles."""
        return cls.learner

    @classmethod
    def how_to_train(cls, kind: str, num_tasks: int, num_vehicles: int) -> str:
        """The command that makes weights for such instances."""
        return f"geopar train {kind} --model {cls.learner}"

    def check(self, num_tasks: int, num_vehicles: int) -> None:
        """Refuse instances of a size that these weights cannot do."""

    @abstractmethod
    def encode(self, batch: Batch) -> Any:
        """Look at the instances once; what later steps need, with the ``environment``."""

    def reset(self, encoded: Any, rollouts: int, chooser: Chooser) -> Any:
        """The state in which nothing has been done; it has ``steps`` and ``done``, ``(B, R)``."""
        return encoded.environment.reset(rollouts)

    @abstractmethod
    def step(self, encoded: Any, state: Any, chooser: Chooser) -> Step:
        """Choose and act once, in all episodes."""

    def log_prob(self, encoded: Any, states: Any, choices: Tensor) -> Tensor:
        """``(B, T)``: log-probabilities of choices in ``(B, T)`` states, for two-pass training."""
        raise NotImplementedError

    def compacted(self, encoded: Any, state: Any) -> Any:
        """The same instances without what is no longer needed; only without gradients."""
        return encoded

    def rollout(
        self,
        batch: Batch,
        mode: PeerMode = "greedy",
        rollouts: int = 1,
        generator: torch.Generator | None = None,
        *,
        budget: Budget | None = None,
        record: bool = False,
        remember: bool = False,
    ) -> PeerRollout:
        """Episodes to their ends, ``rollouts`` of each instance.

        Parameters
        ----------
        batch
            Instances of one size.
        mode
            The best action each time, or one by its probability.
        rollouts
            Episodes of each instance; more than one makes sense only when sampling.
        generator
            Of all that is random; without one the same each time.
        budget
            When to give up, by :class:`geopar.stop.OutOfTimeError`.
        record
            Keep the actions, to make plans of them.
        remember
            Keep states and choices, to score them again.
        """
        self.check(batch.num_tasks, batch.num_vehicles)
        if generator is None:
            generator = torch.Generator(batch.device).manual_seed(0)
        chooser = Chooser(mode == "sample", generator)
        recorder = Recorder(batch) if record else None
        encoded = self.encode(batch)
        state = self.reset(encoded, rollouts, chooser)
        total: Tensor | None = None
        states, choices = [], []
        while not bool(state.done.all()):
            if budget is not None and budget.done:
                raise OutOfTimeError
            if not torch.is_grad_enabled():
                encoded = self.compacted(encoded, state)
            before = state
            state, action, log_prob, choice = self.step(encoded, state, chooser)
            if remember and choice is not None:
                states.append(before)
                choices.append(choice)
            if recorder is not None:
                recorder.add(action)
            if log_prob is not None:
                total = log_prob if total is None else total + log_prob
        cost = encoded.environment.cost(state)
        return PeerRollout(batch, cost, state.steps, total, recorder, states, choices)
