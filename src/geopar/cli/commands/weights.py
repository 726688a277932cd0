"""``geopar weights``: what the networks have learned, and from what; weights of others."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from geopar.cli.outputs import check_targets, print_json, say, show
from geopar.errors import MissingExtraError, refuse

SUFFIX = ".safetensors"


def weights(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """List the weights that are installed; import those of others."""
    if context.invoked_subcommand is not None:
        return
    try:
        from geopar.neural.cards import installed
    except ModuleNotFoundError as error:
        raise _missing(error) from error

    cards = installed()
    if json:
        print_json({name: asdict(card) for name, card in cards.items()})
        return
    if not cards:
        say("No weights are installed. Train some with `geopar train`; search needs none.")
        return
    table = Table("weights", "problem", "trained", "validation", box=SIMPLE_HEAD, pad_edge=False)
    for name, card in cards.items():
        training = _in_short(card.training)
        validation = _in_short(card.validation.get("validation", card.validation))
        table.add_row(name, card.problem, training, validation)
    show(table)


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A checkpoint that PARCO's authors released.")
    ],
    out: Annotated[Path, typer.Option(metavar="WEIGHTS", help=f"Write them, ending in {SUFFIX}.")],
) -> None:
    """Import a released checkpoint of PARCO; nothing that is in the file is run."""
    try:
        from geopar.neural.cards import save_weights
        from geopar.peers.parco_checkpoint import import_parco
    except ModuleNotFoundError as error:
        raise _missing(error) from error

    if out.suffix != SUFFIX:
        hint = f"End the name in {SUFFIX}."
        refuse("unknown-format", str(out), out.suffix, "is no suffix of weights.", hint)
    check_targets(out, out.with_suffix(".json"))
    peer = import_parco(file)
    save_weights(out, peer, training={"how": "imported from a released checkpoint of PARCO"})
    say(f"Wrote {out}: PARCO for {peer.config.kind}. Use it with --solver parco --weights {out}.")


def _missing(error: ModuleNotFoundError) -> Exception:
    """What to say when a package is not installed; a module of ours that is missing is a fault."""
    if error.name and error.name.startswith("geopar"):
        return error
    return MissingExtraError("the network", "neural")


def _in_short(facts: dict[str, Any]) -> str:
    """The plain numbers and words of a card; a setting's results by their objective alone.

    All the rest, such as every setting of the training, is in the JSON.
    """
    shown = []
    for key, value in facts.items():
        plain = value.get("objective") if isinstance(value, dict) else value
        if isinstance(plain, int | float | str):
            shown.append(f"{key}: {plain:g}" if isinstance(plain, float) else f"{key}: {plain}")
    return ", ".join(shown)
