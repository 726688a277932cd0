"""``geopar weights``: what the network has learned, and from what."""

from __future__ import annotations

from typing import Annotated

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
        from geopar.model.weights import installed
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("geopar"):
            raise
        raise MissingExtraError("the network", "neural") from error

    cards = installed()
    if json:
        print_json({name: card.to_json() for name, card in cards.items()})
        return
    if not cards:
        say("No weights are installed. Train some with `geopar train`; search needs none.")
        return
    table = Table("weights", "problem", "trained", "validation", box=SIMPLE_HEAD, pad_edge=False)
    for name, card in cards.items():
        training = ", ".join(f"{key}: {value}" for key, value in card.training.items())
        validation = ", ".join(f"{key}: {value}" for key, value in card.validation.items())
        table.add_row(name, card.problem, training, validation)
    show(table)
