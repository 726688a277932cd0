import asyncio

import pytest

import geopar
from geopar.service import batching
from geopar.service.batching import Batcher, BrokenPassError
from geopar.service.messages import ConstructCommand, Done, LostWorkerError, TraceCommand

SMALL = [geopar.generate("hcvrp/3/1", seed) for seed in range(4)]
LARGE = geopar.generate("hcvrp/5/2", 0)


def taken(batcher: Batcher) -> ConstructCommand:
    run = batcher.take()
    assert run is not None
    pairs = zip(run.command.problems, run.command.seeds, strict=True)
    run.settle(Done(tuple(f"{problem.num_tasks}:{seed}" for problem, seed in pairs)))
    assert isinstance(run.command, ConstructCommand)
    return run.command


def test_those_of_one_size_go_together_and_each_gets_its_own() -> None:
    async def run() -> None:
        handed_out = []
        batcher = Batcher(lambda: handed_out.append(1))
        asked = [
            asyncio.create_task(batcher.construct(problem, seed))
            for seed, problem in enumerate([SMALL[0], LARGE, SMALL[1], SMALL[2]])
        ]
        await asyncio.sleep(0)
        assert batcher.take() is None  # a few milliseconds for others
        assert len(batcher) == 4
        await asyncio.sleep(3 * batching.GATHER_SECONDS)
        assert handed_out
        assert taken(batcher).problems == (SMALL[0], SMALL[1], SMALL[2])
        assert taken(batcher).problems == (LARGE,)
        assert batcher.take() is None
        assert await asyncio.gather(*asked) == ["3:0", "5:1", "3:2", "3:3"]

    asyncio.run(run())


def test_a_full_batch_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MOST_TOGETHER", 2)

    async def run() -> None:
        batcher = Batcher(lambda: None)
        asked = [asyncio.create_task(batcher.construct(problem, 0)) for problem in SMALL[:3]]
        await asyncio.sleep(0)
        assert len(taken(batcher).problems) == 2
        assert batcher.take() is None
        asked[2].cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked[2]
        assert len(batcher) == 0  # who went away is not solved for
        await asyncio.gather(*asked[:2])

    asyncio.run(run())


def test_beside_another_pass_it_waits_longer_unless_enough_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batching, "LONGER_SECONDS", 3600.0)
    monkeypatch.setattr(batching, "ENOUGH", 2)

    async def run() -> None:
        batcher = Batcher(lambda: None, busy=lambda: 1)
        asked = [asyncio.create_task(batcher.construct(SMALL[0], 0))]
        await asyncio.sleep(2 * batching.GATHER_SECONDS)
        assert batcher.take() is None
        asked.append(asyncio.create_task(batcher.construct(SMALL[1], 0)))
        await asyncio.sleep(0)
        assert len(taken(batcher).problems) == 2
        await asyncio.gather(*asked)

    asyncio.run(run())


def test_single_orders_go_first_and_failures_reach_everybody() -> None:
    async def run() -> None:
        batcher = Batcher(lambda: None)
        asked = [asyncio.create_task(batcher.construct(problem, 0)) for problem in SMALL[:2]]
        single = asyncio.create_task(batcher.run(TraceCommand(LARGE, 0)))
        await asyncio.sleep(2 * batching.GATHER_SECONDS)
        first = batcher.take()
        assert first is not None
        assert first.command == TraceCommand(LARGE, 0)
        first.settle(Done(("trace",)))
        assert (await single).texts == ("trace",)
        both = batcher.take()
        assert both is not None
        both.settle(LostWorkerError("gone"))
        for one in asked:
            with pytest.raises(LostWorkerError):
                await one

    asyncio.run(run())


def test_a_plan_that_breaks_a_rule_is_not_handed_out() -> None:
    async def run() -> None:
        batcher = Batcher(lambda: None)
        asked = asyncio.create_task(batcher.construct(LARGE, 0))
        await asyncio.sleep(2 * batching.GATHER_SECONDS)
        one = batcher.take()
        assert one is not None
        one.settle(Done(("",)))
        with pytest.raises(BrokenPassError):
            await asked

    asyncio.run(run())
