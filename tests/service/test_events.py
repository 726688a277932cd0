import asyncio

from geopar.service.events import COMMENT, EventLog


def test_a_slow_reader_gets_the_newest_of_each_and_the_end() -> None:
    async def run() -> list[bytes]:
        log = EventLog()
        for number in range(100):
            log.publish("improvement", str(number))
            log.publish("progress", str(number))
        log.publish("end", "{}")
        log.close()
        return [part async for part in log.follow(0)]

    assert asyncio.run(run()) == [
        b"id: 199\nevent: improvement\ndata: 99\n\n",
        b"id: 200\nevent: progress\ndata: 99\n\n",
        b"id: 201\nevent: end\ndata: {}\n\n",
    ]


def test_a_reader_that_keeps_up_gets_everything_in_order() -> None:
    async def run() -> list[bytes]:
        log, seen = EventLog(count=5), []

        async def read() -> None:
            seen.extend([part async for part in log.follow(0)])

        reader = asyncio.create_task(read())
        for number in range(3):
            await asyncio.sleep(0)
            log.publish("improvement", str(number))
            await asyncio.sleep(0.01)
        log.close()
        await reader
        return seen

    assert [part.split(b"\n")[0] for part in asyncio.run(run())] == [b"id: 6", b"id: 7", b"id: 8"]


def test_resuming_leaves_out_what_was_seen_and_silence_is_filled() -> None:
    async def run() -> list[bytes]:
        log = EventLog()
        log.publish("status", "1")
        log.publish("progress", "2")
        follow = log.follow(1, heartbeat=0.01)
        seen = [await anext(follow), await anext(follow)]
        log.close()
        return seen + [part async for part in follow]

    assert asyncio.run(run()) == [b"id: 2\nevent: progress\ndata: 2\n\n", COMMENT]
