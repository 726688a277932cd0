"""An HTTP client of a few kept connections: plain sockets, because it shares the cores."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Client:
    """Who asks a server, as often at once as it likes."""

    host: str
    port: int
    idle: list[Pair] = field(default_factory=list)

    async def call(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Status and body of one answer."""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n"
        )
        head += "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        data = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        if self.idle:
            pair = self.idle.pop()
            try:
                return await self._ask(pair, data)
            except ConnectionResetError:
                pass
            except asyncio.IncompleteReadError as error:
                if error.partial:
                    raise
            # A server may close what is idle at any moment: then a new connection is in order.
        return await self._ask(await asyncio.open_connection(self.host, self.port), data)

    async def _ask(self, pair: Pair, data: bytes) -> tuple[int, bytes]:
        reader, writer = pair
        try:
            writer.write(data)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer)
            content = await reader.readexactly(int(length[1])) if length else b""
        except BaseException:
            writer.close()
            raise
        if b"connection: close" in answer:
            writer.close()
        else:
            self.idle.append(pair)
        return int(answer[9:12]), content

    def close(self) -> None:
        """Close what is kept."""
        for _, writer in self.idle:
            writer.close()
        self.idle.clear()
