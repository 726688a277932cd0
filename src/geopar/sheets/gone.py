"""A sheet for a vehicle that drives no more: what it had done, and where its goods are."""

from __future__ import annotations

from typing import NamedTuple


class Served(NamedTuple):
    """A stop that it served: when it was there, and what it is called."""

    arrived: str
    stop: str


class HandedOver(NamedTuple):
    """A stop that it serves no more.

    Parameters
    ----------
    stop
        What it is called.
    on_board
        Whether its goods are in the vehicle.
    taken_by
        Which vehicle serves it now; empty where none does.
    """

    stop: str
    on_board: bool
    taken_by: str


class Gone(NamedTuple):
    """What is told of such a vehicle.

    Parameters
    ----------
    vehicle
        Its id.
    driver
        Who drove it, where that is known.
    said
        What became of it and of what it had on board, in a sentence.
    served
        What it has done.
    handed_over
        What it does no more.
    """

    vehicle: str
    driver: str
    said: str
    served: tuple[Served, ...] = ()
    handed_over: tuple[HandedOver, ...] = ()

    @property
    def title(self) -> str:
        """The vehicle, and who drove it."""
        return f"{self.vehicle} · {self.driver}" if self.driver else self.vehicle
