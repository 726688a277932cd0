"""``geopar weights``: what the network has learned, and from what."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from geopar.cli.outputs import print_json, say, show
from geopar.errors import MissingExtraError


def weights(
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """List the weights that are installed."""
    try:
        from geopar.neural.cards import installed
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("geopar"):
            raise
        raise MissingExtraError("the network", "neural") from error

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
