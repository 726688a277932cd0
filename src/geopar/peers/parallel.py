"""Peers whose vehicles all act at once: PARCO, HAM and MAPDP.

Everybody proposes an action by himself; a task that several propose goes to one of them and the
others stay. What is learned is the log-probability of the proposals, also of those that were
overruled (Berto et al. 2025).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import torch
from torch import Tensor

from geopar.compiled.warming import announced
from geopar.neural.conflicts import Scores, greedy, settle
from geopar.peers.peer import Chooser, Peer, PeerConfig, Step, log_prob_of
from geopar.problems.batch import Batch
from geopar.problems.environment import Environment, make_environment

Handler = Literal["highest", "random"]


class ParallelEncoded(NamedTuple):
    """The environment, and what the network keeps of its instances."""

    environment: Environment[Any]
    memory: Any


@dataclass(frozen=True, slots=True)
class ParallelConfig(PeerConfig):
    """Settings of a parallel peer.

    Parameters
    ----------
    retirement
        PARCO's rule for OMDCPDP: an empty vehicle may go home for good. Without it our rule: a
        vehicle waits only when no task is open to it.
    """

    retirement: bool = True


class ParallelPeer(Peer):
    """A peer in the parallel environments; a subclass gives :meth:`remember` and :meth:`scores`."""

    handler: ClassVar[Handler] = "highest"
    Config = ParallelConfig
    config: ParallelConfig

    @abstractmethod
    def remember(self, environment: Environment[Any]) -> Any:
        """Encode the instances once."""

    @abstractmethod
    def scores(self, encoded: ParallelEncoded, state: Any) -> Scores:
        """Logits ``(B, R, M, K)``, −∞ where not allowed, home last; and their tasks."""

    def encode(self, batch: Batch) -> ParallelEncoded:
        """Environment and encoding."""
        environment = make_environment(batch, self.config.retirement)
        return ParallelEncoded(environment, self.remember(environment))

    def step(self, encoded: ParallelEncoded, state: Any, chooser: Chooser) -> Step:
        """All propose, conflicts are settled, all act."""
        environment = encoded.environment
        num_tasks = environment.batch.num_tasks
        scores = self.scores(encoded, state)
        if not chooser.sampling and self.handler == "highest":
            action = greedy(scores, num_tasks)
            return Step(environment.step(state, action), action, None)
        column = chooser(scores.logits)
        proposal = scores.candidates.gather(-1, column[..., None])[..., 0]
        if not chooser.sampling:
            action = by_lot(proposal, chooser.generator, num_tasks)
            return Step(environment.step(state, action), action, None)
        log_prob = log_prob_of(scores.logits, column)
        if self.handler == "highest":
            action = settle(proposal, log_prob.detach(), num_tasks)
        else:
            action = by_lot(proposal, chooser.generator, num_tasks)
        # Padding after the end counts nothing: only home is left, with probability one. The mean
        # over the fleet is the published loss.
        return Step(environment.step(state, action), action, log_prob.mean(-1))


def by_lot(proposal: Tensor, generator: torch.Generator, num_tasks: int) -> Tensor:
    """Everybody has one wish, ``(B, R, M)``; a contested task goes by lot, the others stay.

    One order of the vehicles for the whole batch, so that an instance does not depend on its
    neighbours.
    """
    fleet, device = proposal.shape[-1], proposal.device
    place = torch.randperm(fleet, generator=generator, device=device).expand_as(proposal)
    first = place.new_full((*proposal.shape[:2], num_tasks + 1), fleet)
    first = first.scatter_reduce(-1, proposal, place, "amin").gather(-1, proposal)
    # Home is for everybody.
    lost = (first != place) & (proposal < num_tasks)
    return proposal.masked_fill(lost, num_tasks + 1)


def all_tasks(logits: Tensor) -> Scores:
    """Scores of a network that looks at everything: column ``j`` is task ``j``, the last home."""
    listed = torch.arange(logits.shape[-1], device=logits.device)
    return Scores(logits, listed.expand(logits.shape))


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile how conflicts are settled on a CPU, once; then it is kept on disk."""
    with announced("compiling how conflicts are settled, once, some seconds", announce):
        greedy(all_tasks(torch.zeros(1, 1, 1, 3)), 2)
