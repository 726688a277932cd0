"""What compiled code sees of a state must be what tensor operations see."""

from typing import Any

import torch
from torch import Tensor

from midway import midway, network_for, observed, oracle_of


def by_task(candidates: Tensor, values: Tensor, num_tasks: int) -> Tensor:
    """Values of columns as values of tasks, so that the order of columns does not matter."""
    result = torch.zeros(*candidates.shape[:3], num_tasks + 1, *values.shape[4:])
    index = candidates if values.dim() == 4 else candidates[..., None].expand(values.shape)
    return result.scatter(3, index, values.float())


def assert_seen_alike(setting: str, steps: int, **changes: Any) -> None:
    """Compare everything, after some random steps of random instances."""
    config = network_for(setting.partition("/")[0], **changes).config
    environment, state = midway(setting, steps)
    count = environment.batch.num_tasks
    found = observed(config, environment, state)
    expected = oracle_of(config, environment).observe(state)
    assert torch.equal(found.active, expected.active)
    torch.testing.assert_close(found.agents, expected.agents, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found.fleet, expected.fleet, atol=1e-5, rtol=1e-5)
    allowed = by_task(expected.candidates, expected.feasible, count)
    assert torch.equal(by_task(found.candidates, found.feasible, count), allowed)
    # What may not be chosen is not described; nor does it matter who has no choice.
    chooses = allowed.sum(-1, keepdim=True) > 1
    mask = (allowed * chooses)[..., None]
    one, other = (
        torch.where(mask > 0, by_task(seen.candidates, seen.pairs, count), 0.0)
        for seen in (found, expected)
    )
    torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
