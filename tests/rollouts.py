"""Random rollouts of an environment, with an independent look at every mask."""

from typing import Any

import torch
from torch import Tensor

from geopar.neural.recorder import Recorder
from geopar.problems.environment import Environment


def random_joint_action(mask: Tensor, place: Tensor, generator: torch.Generator) -> Tensor:
    """Everybody picks something allowed; of those who want the same task the first gets it."""
    stay = mask.shape[-1]
    noise = torch.rand(mask.shape, generator=generator)
    action = torch.where(mask, noise, -1.0).argmax(-1)
    for b in range(action.shape[0]):
        for r in range(action.shape[1]):
            taken: set[int] = set()
            for m in range(action.shape[2]):
                task = int(action[b, r, m])
                if task < stay - 1 and task in taken:
                    action[b, r, m] = stay
                taken.add(task)
    return action


def roll_out(
    environment: Environment[Any], rollouts: int, seed: int, most_steps: int = 1000
) -> tuple[Any, Recorder, int]:
    """The final state, what was done, and how many steps the batch took."""
    generator = torch.Generator().manual_seed(seed)
    recorder, steps = Recorder(environment.batch, inserts=environment.inserts), 0
    state = environment.reset(rollouts)
    while not bool(state.done.all()):
        mask = environment.mask(state)
        assert bool(mask.any(-1).all()), "a vehicle has nothing it may do"
        action = random_joint_action(mask, state.place, generator)
        recorder.add(action)
        state = environment.step(state, action)
        steps += 1
        assert steps <= most_steps, "the rollout does not end"
    return state, recorder, steps
