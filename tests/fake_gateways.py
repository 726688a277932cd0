"""Gateways to no cluster, for the tests of what the server does with one; each takes the place of
``geopar.service.gateway.main``. What is to happen is said by files in a folder, the address."""

import json
import os
from multiprocessing.connection import Connection
from pathlib import Path

from geopar.files import plan_to_json
from geopar.plan import Plan
from geopar.service.gateway_messages import (
    ClusterSize,
    Ended,
    Kill,
    Reported,
    Send,
    Start,
    Unusable,
)
from geopar.service.messages import EXIT, STOP, Done, Improvement, Ready, SolveCommand

WORKERS = 2


def gateway(conn: Connection, address: str) -> None:
    """Two workers, which answer at once or do what a file says, once: it is removed then."""
    folder = Path(address)
    if _told(folder, "unusable"):
        conn.send(Unusable("there is no cluster"))
        return
    conn.send(ClusterSize(1, WORKERS))
    while (message := conn.recv()) != EXIT:
        if isinstance(message, Start):
            conn.send(Reported(message.worker, Ready({})))
        elif isinstance(message, Kill):
            conn.send(Ended(message.worker, "it was ended"))
        elif isinstance(message, Send) and isinstance(message.message, SolveCommand):
            _solve(conn, message.worker, message.message, folder)
        else:
            assert message.message == STOP
            conn.send(Reported(message.worker, _done("stopped")))


def _solve(conn: Connection, worker: int, command: SolveCommand, folder: Path) -> None:
    if _told(folder, "crash"):
        os._exit(7)
    if _told(folder, "shrink"):
        conn.send(ClusterSize(1, 1))
    if _told(folder, "wait"):
        return
    if _told(folder, "improve and lose"):
        plan = json.dumps(plan_to_json(Plan("hcvrp", ())))
        better = Improvement(0.1, 5, 9.0, plan, "{}", "refine", [(0.1, 9.0)])
        conn.send(Reported(worker, better))
        conn.send(Ended(worker, "its machine is gone"))
    elif _told(folder, "lose", keep=True):
        conn.send(Ended(worker, "its machine is gone"))
    else:
        start = None if command.start is None else command.start.kind
        conn.send(Reported(worker, _done(f"begun with {start}")))


def _done(word: str) -> Done:
    return Done((json.dumps({"word": word}),), 1.0, 10)


def _told(folder: Path, name: str, keep: bool = False) -> bool:
    there = (folder / name).exists()
    if there and not keep:
        (folder / name).unlink()
    return there
