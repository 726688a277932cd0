"""What holds for each learned peer; their test files subclass ``Laws``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geopar.checking import check
from geopar.errors import InputError
from geopar.learn import peer_learner
from geopar.learn.baseline import greedy_costs
from geopar.learn.config import SizeRange, TrainConfig, default_config
from geopar.learn.data import draw_batch, fixed_batch
from geopar.learn.peer_learner import PeerLearner, score
from geopar.learn.reinforce import RolloutConfig
from geopar.neural.cards import save_weights
from geopar.peers.peer import Peer
from geopar.peers.registry import peer_class
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from geopar.problems.setting import Setting
from strategies import hcvrps, omdcpdps

SMALL: dict[str, Any] = {"width": 16, "heads": 2, "layers": 1, "feedforward": 16}
# One law, several peers: what Hypothesis warns of when subclasses share a test is meant here.
law = settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.function_scoped_fixture],
)


def numbered_anew(problem: Problem, order: list[int]) -> Problem:
    """The same customers, or orders, in another order."""
    if isinstance(problem, HCVRP):
        return problem.select(order, range(problem.num_vehicles))
    return OMDCPDP(
        problem.pickups[order], problem.deliveries[order], problem.starts, problem.capacity
    )


class Laws:
    """Subclasses say which peer and problem, and may change its settings."""

    learner: str
    kind: Any = "hcvrp"
    changes: ClassVar[dict[str, Any]] = {}
    setting = "hcvrp/8/2"
    # Of the short training run.
    updates, rate = 25, 3e-3

    @pytest.fixture(autouse=True)
    def one_thread(self) -> Iterator[None]:
        """Tiny products are slower on two cores, and much slower on busy ones."""
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        yield
        torch.set_num_threads(before)

    def peer(self, seed: int = 0, **changes: Any) -> Peer:
        torch.manual_seed(seed)
        settings = SMALL | self.changes | changes
        peer = peer_class(self.learner, self.kind)
        return peer(peer.Config(self.kind, **settings)).eval()

    def changes_for(self, problem: Problem) -> dict[str, Any]:
        """Settings without which a peer could not do this problem."""
        return {}

    def config(self, **changes: str) -> TrainConfig:
        wanted = Setting.parse(self.setting)
        return default_config(self.kind, "reinforce", self.learner).changed(
            {
                "sizes": f"{wanted.num_tasks}/{wanted.num_vehicles}",
                "validation": "",
                "baseline_instances": "32",
                "epoch_size": "160",
                "batch_size": "16",
                "learning_rate": str(self.rate),
                **{f"model.{name}": str(v).lower() for name, v in (SMALL | self.changes).items()},
                **changes,
            }
        )

    @law
    @given(st.data())
    def test_plans_are_feasible_and_cost_what_they_say(self, data: st.DataObject) -> None:
        problem: Any = data.draw(hcvrps() if self.kind == "hcvrp" else omdcpdps())
        peer = self.peer(**self.changes_for(problem))
        for mode, count in (("greedy", 1), ("sample", 2)):
            with torch.no_grad():
                found = peer.rollout(make_batch([problem]), mode, count, record=True)  # type: ignore[arg-type]
            assert found.recorder is not None
            for row in range(count):
                report = check(problem, found.recorder.plans([problem], row)[0])
                assert not report.violations
                assert report.objective == pytest.approx(float(found.cost[0, row]), rel=1e-4)

    def test_the_same_seed_gives_the_same_plan(self) -> None:
        problem, peer = generate(self.setting), self.peer()

        def plan(seed: int, mode: Any) -> Any:
            generator = torch.Generator().manual_seed(seed)
            found = peer.rollout(make_batch([problem]), mode, 1, generator, record=True)
            assert found.recorder is not None
            return found.recorder.plans([problem])[0]

        assert plan(1, "sample") == plan(1, "sample")
        assert plan(1, "greedy") == plan(1, "greedy")
        assert any(plan(1, "sample") != plan(seed, "sample") for seed in range(2, 6))

    def test_a_batch_gives_what_each_gives_alone(self) -> None:
        problems, peer = [generate(self.setting, seed) for seed in range(4)], self.peer()
        with torch.no_grad():
            together = peer.rollout(make_batch(problems), record=True)
            alone = [peer.rollout(make_batch([one]), record=True) for one in problems]
        assert together.recorder is not None
        plans = together.recorder.plans(problems)
        for row, (problem, own) in enumerate(zip(problems, alone, strict=True)):
            assert own.recorder is not None
            assert own.recorder.plans([problem])[0].routes == plans[row].routes
            assert int(own.steps[0, 0]) == int(together.steps[row, 0])

    def test_new_numbers_change_nothing_but_numbers(self) -> None:
        peer = self.peer()
        for seed in range(3):
            problem = generate(self.setting, seed)
            many = problem.num_tasks if isinstance(problem, HCVRP) else problem.num_tasks // 2
            order = np.random.default_rng(seed).permutation(many).tolist()
            other = numbered_anew(problem, order)
            with torch.no_grad():
                one, two = (peer.rollout(make_batch([p])) for p in (problem, other))
            assert float(one.cost[0, 0]) == pytest.approx(float(two.cost[0, 0]), rel=1e-5)
            assert int(one.steps[0, 0]) == int(two.steps[0, 0])

    def test_a_second_pass_scores_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        peer = self.peer().train()
        if not peer.two_passes:
            pytest.skip("it learns in one pass")
        batch = fixed_batch(Setting.parse(self.setting), 3, 1)
        peer.encode(batch)
        found = peer.rollout(batch, "sample", 2, remember=True)
        assert found.log_prob is not None
        assert bool((found.log_prob < 0.0).all())
        again = score(peer, peer.encode(batch), found)
        torch.testing.assert_close(again, found.log_prob, rtol=1e-4, atol=1e-4)
        found.log_prob.sum().backward()
        once = {name: p.grad.clone() for name, p in peer.named_parameters() if p.grad is not None}
        peer.zero_grad()
        monkeypatch.setattr(peer_learner, "PIECE", 20)
        peer_learner.backward(peer, found, torch.ones(3, 2))
        for name, parameter in peer.named_parameters():
            if name in once:
                torch.testing.assert_close(parameter.grad, once[name], rtol=1e-3, atol=1e-3)

    def test_a_short_training_improves_it(self) -> None:
        config = self.config()
        torch.manual_seed(1)
        size = SizeRange.parse(config.sizes[0])
        assert size is not None
        learner = PeerLearner(config, [size])
        peer = learner.network
        held_out = [fixed_batch(Setting.parse(self.setting), 48, 3)]

        def reached() -> float:
            generator = torch.Generator().manual_seed(0)
            with torch.no_grad():
                return float(peer.eval().rollout(held_out[0], "sample", 4, generator).cost.mean())

        before = reached()
        optimiser = torch.optim.Adam(peer.parameters(), lr=self.rate)
        generator, rng = torch.Generator().manual_seed(2), np.random.default_rng(3)
        copies = min(config.augmentations * config.samples, 4)
        many = copies if config.augmentations > 1 else 1
        rollouts = RolloutConfig(augmentations=many, samples=copies // many)
        for step in range(1, self.updates + 1):
            batch = draw_batch(self.kind, size.tasks, size.vehicles, 24, rng)
            optimiser.zero_grad()
            peer.train()
            learner.reinforce(batch, rollouts, generator, 1.0)
            torch.nn.utils.clip_grad_norm_(peer.parameters(), 1.0)
            optimiser.step()
            learner.after_update(step)
        assert reached() < 0.97 * before

    def test_weights_and_their_card_come_back(self, tmp_path: Path) -> None:
        peer, path = self.peer(), tmp_path / "mine.safetensors"
        card = save_weights(path, peer, {"hours": 1})
        assert (card.learner, card.problem) == (self.learner, self.kind)
        other = peer_class(self.learner, self.kind).load(self.kind, str(path))
        assert other.config == peer.config
        batch = fixed_batch(Setting.parse(self.setting), 3, 1)
        assert torch.equal(greedy_costs(peer, [batch]), greedy_costs(other, [batch]))

    def test_the_defaults_are_a_run_that_can_be_made(self) -> None:
        config = default_config(self.kind, "reinforce", self.learner)
        assert TrainConfig.from_json(config.to_json()) == config
        with pytest.raises(InputError, match="unknown-setting"):
            config.changed({"model.wings": "2"})
        with pytest.raises(InputError, match="not-for-learner"):
            config.changed({"teacher_weight": "0.5"})
