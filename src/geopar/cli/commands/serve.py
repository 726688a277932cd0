"""``geopar serve``: the HTTP service and its page."""

from __future__ import annotations

import dataclasses
import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geopar.cli.groups import OptionGroup
from geopar.cli.outputs import say
from geopar.errors import Faults, MissingExtraError, refuse

if TYPE_CHECKING:
    from geopar.service.limits import Limits

TOKEN_VARIABLE = "GEOPAR_TOKEN"
STORE_VARIABLE = "GEOPAR_STORE"
SECRET_VARIABLE = "GEOPAR_WEBHOOK_SECRET"
# A name or an address in numbers, that of IPv6 in brackets.
HOST = re.compile(r"\*|(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:[0-9]{1,5})?")
WORKERS = re.compile(r"ray(:(?P<most>[0-9]{1,6}))?(:(?P<address>[\w.\-\[\]:]+:[0-9]{1,5}))?")
# Of keeping ended jobs: about a hundred years.
MOST_DAYS = 36_500
# Seconds: a busy server may well say nothing for less.
LEAST_LEASE, MOST_LEASE = 3.0, 3600.0


@dataclass(frozen=True, slots=True)
class LimitOptions(OptionGroup):
    """What a request may cost, and how many there may be."""

    max_tasks: Annotated[int, typer.Option(help="Tasks of one problem.")] = 20_000
    max_vehicles: Annotated[int, typer.Option(help="Vehicles of one problem.")] = 2_000
    max_body: Annotated[int, typer.Option(metavar="BYTES", help="Of one request.")] = 16_000_000
    max_time: Annotated[float, typer.Option(metavar="SECONDS", help="Of one run.")] = 600.0
    queue: Annotated[int, typer.Option(help="Jobs that may wait.")] = 100
    one_pass_queue: Annotated[int, typer.Option(help="One-pass requests that may wait.")] = 1_000
    streams: Annotated[int, typer.Option(help="Clients that may listen to events.")] = 200
    connections: Annotated[int, typer.Option(help="Connections that may be open.")] = 2_000

    def given(self, workers: int) -> Limits:
        """As the service takes them."""
        from geopar.service.limits import Limits

        return Limits(
            self.max_tasks, self.max_vehicles, self.max_body, self.max_time, self.queue, workers,
            self.one_pass_queue, self.streams, self.connections,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeepingOptions(OptionGroup):
    """Where jobs are kept, and how long."""

    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep jobs here; in memory if left out.")
    ] = None
    store: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar=STORE_VARIABLE,
            help="Share jobs with other servers: postgresql://user@host/database.",
        ),
    ] = None
    lease: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="With --store: without a sign of life a server is given up."
        ),
    ] = 15.0
    keep_jobs: Annotated[int, typer.Option(help="Ended jobs that are kept.")] = 1_000
    keep_days: Annotated[float, typer.Option(help="Days that an ended job is kept.")] = 30.0

    def check(self) -> None:
        """Refuse what contradicts itself or makes no sense."""
        faults = Faults()
        if self.data is not None and self.store is not None:
            message = "and --store cannot both say where jobs are kept."
            faults.add("bad-store", "--data", str(self.data), message, "Leave one of them out.")
        if not LEAST_LEASE <= self.lease <= MOST_LEASE:
            message = f"must be from {LEAST_LEASE:g} to {MOST_LEASE:,.0f} seconds."
            faults.add("bad-limit", "--lease", self.lease, message, "Leave it out.")
        if not 0.0 < self.keep_days <= MOST_DAYS:
            message = f"must be more than 0 and at most {MOST_DAYS:,} days."
            faults.add("bad-limit", "--keep-days", self.keep_days, message, "Leave it out.")
        faults.raise_if_any()


def serve(
    *,
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 is everywhere.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="0 takes one that is free.")] = 8000,
    keeping: KeepingOptions,
    token: Annotated[
        str | None,
        typer.Option(envvar=TOKEN_VARIABLE, help="Answer only who shows this bearer token."),
    ] = None,
    workers: Annotated[
        str | None,
        typer.Option(
            metavar="N|ray",
            help="Jobs solved at once; as many as cores if left out. On a Ray cluster: ray or "
            "ray:HOST:PORT, ray:8 or ray:8:HOST:PORT for at most 8.",
        ),
    ] = None,
    network_workers: Annotated[
        int | None, typer.Option(help="Processes for one-pass requests; at most 2 if left out.")
    ] = None,
    most: LimitOptions,
    tiles: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Map tiles for lat/lon: https://…/{z}/{x}/{y}.png."),
    ] = None,
    webhooks: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST",
            help="Let jobs tell this host of their end: HOST or HOST:PORT, several times for "
            "several, '*' for any. None if left out.",
        ),
    ] = None,
    webhook_secret: Annotated[
        str | None, typer.Option(envvar=SECRET_VARIABLE, help="Sign these messages with it.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log more.")] = False,
) -> None:
    """Serve the page and the HTTP interface until Ctrl-C."""
    cores = os.cpu_count() or 1
    count, place = _workers(workers, cores)
    network_workers = min(2, cores) if network_workers is None else network_workers
    numbers = {"workers": count, "network_workers": network_workers, **dataclasses.asdict(most)}
    hosts = tuple(webhooks or ())
    _check(numbers | {"keep_jobs": keeping.keep_jobs}, token, tiles, hosts)
    keeping.check()
    try:
        from geopar.service.cluster import Cluster, try_out
        from geopar.service.server import listen, serve_on
        from geopar.service.service import Settings
        from geopar.service.stores import make_store
        from geopar.service.webhooks import Allowed
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("geopar"):
            raise
        raise MissingExtraError("geopar serve", "service") from error
    cluster = None if place is None else Cluster(*place)
    if cluster is not None:
        count = try_out(cluster)
    is_local = host in ("localhost", "::1") or host.startswith("127.")
    settings = Settings(
        most.given(count), network_workers, keeping.data, token, tiles, is_local,
        keep_jobs=keeping.keep_jobs, keep_days=keeping.keep_days,
        webhooks=Allowed(hosts), webhook_secret=webhook_secret or None,
        store=keeping.store, lease=keeping.lease, cluster=cluster,
    )  # fmt: skip
    make_store(keeping.data, keeping.store)[0].try_out()
    listener = listen(host, port)
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, format="%(levelname)s %(message)s"
    )
    shown = f"[{host}]" if ":" in host else host
    say(f"GeoPAR on http://{shown}:{listener.getsockname()[1]} (Ctrl-C ends it)")
    if not is_local and token is None:
        say("Everybody who can reach this address can use it: maybe give a --token.")
    serve_on(listener, settings)


def _workers(text: str | None, cores: int) -> tuple[int, tuple[str, int | None] | None]:
    """How many workers, and if they are on a Ray cluster its address and how many at most."""
    if text is None:
        return cores, None
    if text.isascii() and text.lstrip("-").isdecimal():
        return int(text[:12]), None
    found = WORKERS.fullmatch(text)
    if found is None:
        hint = "Maybe 4, ray, ray:10.0.0.1:6379, or ray:8:10.0.0.1:6379 for at most 8."
        refuse("bad-cluster", "--workers", text, "is neither a number nor a Ray cluster.", hint)
    most = None if found["most"] is None else int(found["most"])
    return most if most is not None else 1, (found["address"] or "auto", most)


def _check(
    numbers: dict[str, int | float],
    token: str | None,
    tiles: str | None,
    hosts: tuple[str, ...],
) -> None:
    faults = Faults()
    for name, value in numbers.items():
        if not 1 <= value < 10**12:
            option = f"--{name.replace('_', '-')}"
            faults.add("bad-limit", option, value, "must be 1 or more.", "Leave it out.")
    if token is not None and not (token.isascii() and token.isprintable() and token.strip()):
        message = "must be printable ASCII characters."
        faults.add(
            "bad-token", "--token", ..., message, "Maybe the output of `openssl rand -hex 16`."
        )
    if tiles is not None and not tiles.startswith(("https://", "http://")):
        hint = "Maybe https://tiles.example/{z}/{x}/{y}.png."
        faults.add("bad-address", "--tiles", tiles, "is no web address.", hint)
    for host in hosts:
        if not HOST.fullmatch(host):
            hint = "Maybe hooks.example, hooks.example:8443, or '*' for any."
            faults.add("bad-address", "--webhooks", host, "is no host, with or without port.", hint)
    faults.raise_if_any()
