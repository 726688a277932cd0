import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.learn.at_once import sample_at_once
from geopar.paper.assignment import Proposals, log_prob
from geopar.paper.config import AssignmentConfig

PLAIN = AssignmentConfig(pool=False, temperature=0.5, exploration=0.0)
TASKS = 4


def proposals(seed: int, agents: int, rollouts: int = 3) -> Proposals:
    """Scores of all tasks and home, a few of them excluded."""
    rng = np.random.default_rng(seed)
    score = torch.tensor(rng.normal(size=(1, rollouts, agents, TASKS + 1)), dtype=torch.float32)
    excluded = torch.tensor(rng.random(score.shape) < 0.3)
    score = score.masked_fill(excluded, -torch.inf)
    return Proposals(score, torch.arange(TASKS + 1).expand(score.shape))


@given(seed=st.integers(0, 10_000), agents=st.integers(1, 6))
def test_of_those_who_drew_the_same_the_surest_goes_and_the_others_stay(
    seed: int, agents: int
) -> None:
    given_ = proposals(seed, agents)
    found = sample_at_once(PLAIN, given_, TASKS, torch.Generator().manual_seed(seed))
    log_p = given_.score.log_softmax(-1)
    for drawn, action, sure, open_ in zip(
        found.drawn[0], found.action[0], log_p[0], given_.score[0] > -torch.inf, strict=True
    ):
        for agent in range(agents):
            wanted = int(drawn[agent])
            if wanted == TASKS + 1:
                assert not open_[agent].any()
                assert action[agent] == wanted
                continue
            assert open_[agent, wanted]
            rivals = [a for a in range(agents) if drawn[a] == wanted]
            surest = max(rivals, key=lambda a: (float(sure[a, wanted]), -a))
            wins = wanted == TASKS or agent == surest
            assert action[agent] == (wanted if wins else TASKS + 1)


def test_draws_follow_the_probabilities_that_they_are_scored_with() -> None:
    rollouts = 20_000
    score = torch.tensor([[0.3, -0.2, 0.1, -torch.inf, 0.4]] * 2).expand(1, rollouts, 2, TASKS + 1)
    given_ = Proposals(score, torch.arange(TASKS + 1).expand(score.shape))
    found = sample_at_once(PLAIN, given_, TASKS, torch.Generator().manual_seed(1))
    said = log_prob(PLAIN, given_, found.drawn, found.order, TASKS).exp()
    for task in range(TASKS + 1):
        drew = found.drawn == task
        share = drew.double().mean()
        if task == 3:
            assert share == 0.0
            continue
        expected = said[drew].unique()
        assert len(expected) == 1
        assert abs(share - expected[0]) < 0.01
