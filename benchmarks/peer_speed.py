"""How fast learned peers decode, with random weights on one core.

For each peer at 60/3: a greedy pass over a batch against the same number of bare calls of its
network on a state from the middle of the pass; what is more is environment and loop. Then, with
``--large``, PARCO's time for a step at 1000/20 and 5000/400, and whole passes of AM and 2D-Ptr at
1000/20. Times are the best of a few, in milliseconds of this process, so that a busy machine
disturbs them less.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch

from geopar.peers.am import AttentionModel
from geopar.peers.dpn import DPN
from geopar.peers.parallel import ParallelPeer
from geopar.peers.peer import Chooser, Peer
from geopar.peers.registry import peer_class
from geopar.peers.two_d_ptr import TwoDPtr
from geopar.problems.batch import Batch, make_batch
from geopar.problems.random import generate


def untrained(name: str, kind: str) -> Peer:
    peer = peer_class(name, kind)
    return peer.untrained(peer.Config(kind))  # type: ignore[arg-type]


def milliseconds(call: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        call()
        times.append(time.process_time() - begun)
    return 1000.0 * min(times)


def bare_call(peer: Peer, encoded: Any, state: Any) -> Callable[[], Any]:
    """The network alone: everything that turns a state into logits."""
    if isinstance(peer, AttentionModel):
        vehicle = peer.vehicles(encoded, state, encoded.features.at(state)).argmax(-1)

        def both() -> None:
            features = encoded.features.at(state)
            peer.vehicles(encoded, state, features)
            peer.nodes(encoded, state, features, vehicle)

        return both
    if isinstance(peer, TwoDPtr):
        return lambda: peer.pairs(encoded, state)
    if isinstance(peer, DPN):
        return lambda: peer.logits(encoded, state)
    assert isinstance(peer, ParallelPeer)
    return lambda: peer.scores(encoded, state)


def midway(peer: Peer, batch: Batch, steps: int) -> tuple[Any, Any]:
    """Encoding and state after so many sampled steps."""
    chooser = Chooser(True, torch.Generator().manual_seed(0))
    encoded = peer.encode(batch)
    state = peer.reset(encoded, 1, chooser)
    for _ in range(steps):
        encoded = peer.compacted(encoded, state)
        state = peer.step(encoded, state, chooser).state
    return encoded, state


def compare(name: str, setting: str, size: int, repeats: int) -> None:
    peer = untrained(name, setting.partition("/")[0])
    batch = make_batch([generate(setting, seed) for seed in range(size)])
    steps = int(peer.rollout(batch).steps.max())
    whole = milliseconds(lambda: peer.rollout(batch), repeats)
    alone = milliseconds(lambda: peer.encode(batch), repeats)
    call = bare_call(peer, *midway(peer, batch, steps // 4))
    bare = alone + steps * milliseconds(call, 10 * repeats)
    print(
        f"{name:8} {setting} x {size}: {whole:8.1f} ms in {steps} steps; "
        f"bare calls {bare:8.1f} ms; ratio {whole / bare:.2f}"
    )


def per_step(name: str, setting: str, steps: int, after: int) -> None:
    peer = untrained(name, setting.partition("/")[0])
    batch = make_batch([generate(setting)])
    chooser = Chooser(False, torch.Generator())
    encoded, state = midway(peer, batch, after)
    begun = time.process_time()
    for _ in range(steps):
        encoded = peer.compacted(encoded, state)
        state = peer.step(encoded, state, chooser).state
    spent = 1000.0 * (time.process_time() - begun) / steps
    print(f"{name:8} {setting}: {spent:8.2f} ms a step, after {after} sampled ones")


def whole(name: str, setting: str) -> None:
    peer = untrained(name, setting.partition("/")[0])
    batch = make_batch([generate(setting)])
    begun = time.process_time()
    found = peer.rollout(batch)
    spent = time.process_time() - begun
    print(f"{name:8} {setting}: {spent:8.1f} s in {int(found.steps[0, 0])} steps")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", nargs="+", default=["am", "2d-ptr", "dpn", "parco"])
    parser.add_argument("--size", type=int, default=1, help="instances at once")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with torch.inference_mode():
        for name in options.peers:
            compare(name, "hcvrp/60/3", options.size, options.repeats)
        if options.large:
            per_step("parco", "hcvrp/1000/20", 40, 5)
            per_step("parco", "hcvrp/5000/400", 8, 3)
            for name in ("am", "2d-ptr"):
                whole(name, "hcvrp/1000/20")


if __name__ == "__main__":
    main()
