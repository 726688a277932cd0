"""Webhooks: an address that is told when a job has ended.

A service that calls any address that it is given is a door into the network that it stands in. So
nothing is called unless the operator has named the hosts, redirections are not followed, and
nothing of the answer but its status is read.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from geopar.__about__ import __version__
from geopar.errors import Faults
from geopar.files.wording import shown
from geopar.service.documents import to_text
from geopar.service.responses import JSON
from geopar.service.signatures import HEADER, signature

# Seconds for one attempt, from looking up the name to the status of the answer.
CALL_SECONDS = 10.0
# Seconds before each further attempt.
PAUSES = (2.0, 10.0, 60.0, 300.0)
# Hosts that are called at the same time; of one host one call after the other.
SLOTS = 8
# Jobs whose end is still to be told; what comes on top of it is not told.
MOST_WAITING = 1_000
LONGEST_ADDRESS = 2_000
ANY_HOST = "*"

_log = logging.getLogger(__name__)


class Target(NamedTuple):
    """An address in its parts."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def place(self) -> str:
        """Host and port, as a Host header has them; the port only where it is not the usual."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"http": 80, "https": 443}[self.scheme]
        return host if self.port == usual else f"{host}:{self.port}"


def target_of(address: str) -> Target:
    """The parts of an address.

    Raises
    ------
    ValueError
        When it is none that can be called; the message says why.
    """
    if len(address) > LONGEST_ADDRESS:
        raise ValueError(f"is longer than {LONGEST_ADDRESS:,} characters")
    # Anything else would have to be escaped, and a line's end would add headers of its own.
    if not all("!" <= sign <= "~" for sign in address):
        raise ValueError("has a space, or characters beyond ASCII, which must be escaped")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"is no web address ({error})") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must begin with https:// or http:// and a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a name and a password")
    if port is None:
        port = 443 if parts.scheme == "https" else 80
    path = parts.path or "/"
    return Target(
        parts.scheme, parts.hostname, port, f"{path}?{parts.query}" if parts.query else path
    )


@dataclass(frozen=True)
class Allowed:
    """Which addresses may be called.

    Parameters
    ----------
    hosts
        ``host`` with any port, ``host:port``, or ``*`` for every host; none when empty.
    """

    hosts: tuple[str, ...] = ()

    def read(self, faults: Faults, value: object) -> str | None:
        """The ``callback`` of a request, if it may be called; faults are noted."""
        if value is None:
            return None
        field, hint = "callback", "Maybe https://example.org/geopar."
        if not isinstance(value, str):
            faults.add("wrong-type", field, shown(value), "must be the text of an address.", hint)
            return None
        if not self.hosts:
            faults.add(
                "webhooks-off", field, shown(value),
                "cannot be called: this service calls nobody.",
                "Leave it out and ask for the job, or start the service with --webhooks HOST.",
            )  # fmt: skip
            return None
        try:
            target = target_of(value)
        except ValueError as error:
            faults.add("bad-address", field, shown(value), f"{error}.", hint)
            return None
        if not self.allows(target):
            faults.add(
                "host-not-allowed", field, shown(value),
                f"is at {target.place}, which this service may not call.",
                "Start it with --webhooks for this host as well.",
            )  # fmt: skip
            return None
        return value

    def allows(self, target: Target) -> bool:
        """Whether a host was named."""
        host = f"[{target.host}]" if ":" in target.host else target.host
        names = {ANY_HOST, host, f"{host}:{target.port}"}
        return not names.isdisjoint(host.lower() for host in self.hosts)


class Called(NamedTuple):
    """What came of telling somebody.

    Parameters
    ----------
    state
        ``waiting``, ``sent`` or ``failed``.
    tries
        How often it was tried.
    error
        What went wrong the last time.
    """

    state: str
    tries: int = 0
    error: str | None = None


Note = Callable[[str, str], Awaitable[None]]


class Webhooks:
    """Tells addresses of the ends of jobs, in the background.

    Parameters
    ----------
    allowed
        Which addresses may be called; asked again before each call, since jobs outlive settings.
    secret
        What messages are signed with, if anything.
    note
        Keeps what came of it, as JSON text, by the id of the job.
    """

    def __init__(self, allowed: Allowed, secret: str | None, note: Note) -> None:
        self.allowed, self.secret, self.note = allowed, secret, note
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(SLOTS)
        # One for each host, as long as anybody holds it or waits for it.
        self._hosts: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        # Names are looked up in threads, which hang where the name server does: let these be ours.
        self._lookups = ThreadPoolExecutor(SLOTS, "webhooks")

    def __len__(self) -> int:
        return len(self._tasks)

    def tell(self, id: str, address: str, body: str) -> None:
        """Send a body to an address, soon."""
        work = self._deliver(id, address, body.encode())
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[id] = task
        task.add_done_callback(lambda _: self._tasks.pop(id, None))

    def drop(self, id: str) -> None:
        """Tell nobody of a job any more."""
        task = self._tasks.get(id)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        """End at once; what was not told is told after the next start, where jobs are kept."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._lookups.shutdown(wait=False, cancel_futures=True)

    async def _deliver(self, id: str, address: str, body: bytes) -> None:
        refused, target = self._look_at(address)
        if target is None:
            await self._keep(id, Called("failed", 0, refused))
            return
        host = self._hosts.setdefault(target.place, asyncio.Lock())
        for tries, pause in enumerate((*PAUSES, None), 1):
            # One that does not answer holds up its own host, and one slot, and only while it is
            # called: nobody waits for the pauses in between.
            async with host, self._slots:
                error = await self._attempt(id, target, body)
            if error is None:
                await self._keep(id, Called("sent", tries))
                return
            await self._keep(id, Called("failed" if pause is None else "waiting", tries, error))
            if pause is not None:
                await asyncio.sleep(pause)
        _log.warning("job %s: %s could not be told: %s", id, target.place, error)

    def _look_at(self, address: str) -> tuple[str, Target | None]:
        """Where to call; or why not."""
        try:
            target = target_of(address)
        except ValueError as error:
            return f"The address {error}.", None
        if not self.allowed.allows(target):
            return f"This service may not call {target.place} any more.", None
        if len(self._tasks) > MOST_WAITING:
            return f"More than {MOST_WAITING:,} ends of jobs were still to be told.", None
        return "", target

    async def _keep(self, id: str, called: Called) -> None:
        await self.note(id, to_text(called._asdict()))

    async def _attempt(self, id: str, target: Target, body: bytes) -> str | None:
        """What went wrong, or None."""
        headers = {
            "Host": target.place, "Content-Type": JSON, "Content-Length": str(len(body)),
            "User-Agent": f"geopar/{__version__}", "Connection": "close", "Geopar-Delivery": id,
        }  # fmt: skip
        if self.secret is not None:
            headers[HEADER] = signature(self.secret, body, int(time.time()))
        lines = [f"POST {target.path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
        message = "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body
        try:
            async with asyncio.timeout(CALL_SECONDS):
                status = await self._send(target, message)
        except TimeoutError:
            return f"There was no answer within {CALL_SECONDS:g} seconds."
        except (OSError, ValueError, EOFError, asyncio.LimitOverrunError) as error:
            return f"It cannot be called: {str(error) or type(error).__name__}."
        return None if 200 <= status < 300 else f"It answered {status}."

    async def _connect(self, target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        loop = asyncio.get_running_loop()
        addresses, security = await loop.run_in_executor(self._lookups, _look_up, target)
        name = None if security is None else target.host
        for address in addresses[:-1]:
            with contextlib.suppress(OSError):
                return await asyncio.open_connection(
                    address, target.port, ssl=security, server_hostname=name
                )
        return await asyncio.open_connection(
            addresses[-1], target.port, ssl=security, server_hostname=name
        )

    async def _send(self, target: Target, message: bytes) -> int:
        """The status of the answer."""
        reader, writer = await self._connect(target)
        try:
            writer.write(message)
            await writer.drain()
            return _status(await reader.readuntil(b"\r\n"))
        finally:
            writer.transport.abort()  # nothing else is of interest, and nothing is waited for


def _look_up(target: Target) -> tuple[list[str], ssl.SSLContext | None]:
    """Addresses in numbers, and how to speak to them; both may take long."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(one[4][0]) for one in found]
    return addresses, ssl.create_default_context() if target.scheme == "https" else None


def _status(line: bytes) -> int:
    version, _, rest = line.partition(b" ")
    with contextlib.suppress(ValueError):
        if version.startswith(b"HTTP/1."):
            return int(rest[:3])
    raise ValueError("the answer is not HTTP")
