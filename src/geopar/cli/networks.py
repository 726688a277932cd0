"""What the command line lets people choose of a network."""

from __future__ import annotations

from typing import Annotated

import typer

from geopar.errors import Faults
from geopar.solver import Options

Weights = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Of a network: a name of `geopar weights`, or a file."),
]
Mode = Annotated[
    str | None, typer.Option(help="Of a network: greedy or sample; of geopar also ca, ca-always.")
]
Assignment = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of geopar: a variant of its assignment.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Of geopar: assignment.time_weight=0.2, model.radius=4."
    ),
]
Samples = Annotated[
    int | None, typer.Option(help="Of a network in mode sample: the best of so many plans.")
]
Augment = Annotated[
    int | None, typer.Option(help="Of a network: the best over so many turned copies, up to 8.")
]


def options_of(
    weights: str | None,
    mode: str | None,
    assignment: str | None,
    settings: list[str] | None,
    samples: int | None,
    augment: int | None,
) -> Options:
    """The options of a command.

    Raises
    ------
    geopar.errors.InputError
        For a setting without a value.
    """
    faults = Faults()
    for text in settings or []:
        if "=" not in text:
            hint = "Maybe assignment.time_weight=0.2."
            faults.add("bad-setting", "set", text, "has no value.", hint)
    faults.raise_if_any()
    pairs = dict(text.split("=", 1) for text in settings or [])
    return Options(weights, mode, assignment, pairs, samples, augment)
