"""What the command line lets people choose of a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from geopar.cli.groups import OptionGroup
from geopar.errors import Faults
from geopar.solver import Options


@dataclass(frozen=True, slots=True)
class NetworkOptions(OptionGroup):
    """Weights, and how plans are made with them."""

    weights: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a network: a name of `geopar weights`, or a file."),
    ] = None
    mode: Annotated[
        str | None,
        typer.Option(help="Of a network: greedy or sample; of geopar also ca, ca-always."),
    ] = None
    assignment: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of geopar: a variant of its assignment.")
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Of geopar: assignment.time_weight=0.2, model.radius=4.",
        ),
    ] = None
    samples: Annotated[
        int | None, typer.Option(help="Of a network in mode sample: the best of so many plans.")
    ] = None
    augment: Annotated[
        int | None, typer.Option(help="Of a network: the best over so many turned copies, up to 8.")
    ] = None

    def given(self) -> Options:
        """As solvers take them.

        Raises
        ------
        geopar.errors.InputError
            For a setting without a value.
        """
        faults = Faults()
        for text in self.settings or []:
            if "=" not in text:
                hint = "Maybe assignment.time_weight=0.2."
                faults.add("bad-setting", "set", text, "has no value.", hint)
        faults.raise_if_any()
        pairs = dict(text.split("=", 1) for text in self.settings or [])
        return Options(self.weights, self.mode, self.assignment, pairs, self.samples, self.augment)
