"""``geopar warm-up``: compile now rather than at the first plan."""

from __future__ import annotations

from geopar.cli.outputs import say


def warm_up() -> None:
    """Compile everything now, once: for images, and for a first plan without waiting."""
    from geopar.warm_up import warm_up as pieces

    say("Compiling what is not yet compiled, a few minutes at most.")
    total, missing = 0.0, 0
    for one in pieces():
        total += one.seconds
        missing += bool(one.missing)
        told = f"{one.seconds:6.1f} s" if not one.missing else f"left out: {one.missing}"
        say(f"{one.what:24} {told}")
    rest = f"; {missing} not there" if missing else ""
    say(f"All is ready, after {total:.0f} s{rest}.")
