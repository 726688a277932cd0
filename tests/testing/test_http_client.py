import asyncio
from contextlib import suppress

import pytest

from geopar.testing.http_client import Client

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"


def asked(behaviour, calls: int) -> tuple[list[object], int]:
    """What so many calls give, and how many connections they took."""

    async def talk() -> tuple[list[object], int]:
        ended: list[asyncio.Event] = []

        async def serve(reader, writer) -> None:
            ended.append(asyncio.Event())
            mine = ended[-1]
            await behaviour(reader, writer)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            mine.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        client = Client("127.0.0.1", server.sockets[0].getsockname()[1])
        answers: list[object] = []
        for _ in range(calls):
            try:
                answers.append(await client.call("GET", "/"))
            except asyncio.IncompleteReadError as error:
                answers.append(error.partial)
        client.close()
        server.close()
        for one in ended:
            await one.wait()
        return answers, len(ended)

    return asyncio.run(talk())


def test_a_connection_is_kept():
    async def polite(reader, writer) -> None:
        while await reader.readline():
            await reader.readuntil(b"\r\n\r\n")
            writer.write(ANSWER)

    assert asked(polite, 3) == ([(200, b"hi")] * 3, 1)


def test_one_that_was_closed_while_idle_is_replaced():
    async def once(reader, writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(ANSWER)

    assert asked(once, 3) == ([(200, b"hi")] * 3, 3)


@pytest.mark.parametrize("half", [b"", ANSWER[:10]])
def test_a_new_one_that_is_closed_is_an_error(half):
    async def rude(reader, writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(half)

    assert asked(rude, 1) == ([half], 1)
