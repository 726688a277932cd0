"""The course of a run: CSV for programs, TensorBoard for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from geopar.learn.checkpoint import Table
from geopar.learn.validate import Validated

UPDATES = ["step", "seconds", "instances", "rate", "learning_rate", "imitation", "agreement",
           "cost", "spread", "steps", "gradient", "gate", "foreseen"]  # fmt: skip
VALIDATIONS = ["step", "seconds", "setting", "objective", "steps", "ratio"]


class Logbook:
    """Logs in a run's folder; rows after ``last_step`` are of a time that did not count."""

    def __init__(self, folder: Path, last_step: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._updates = Table(folder / "log.csv", UPDATES, last_step)
        self._validations = Table(folder / "validation.csv", VALIDATIONS, last_step)
        self._board: Any = SummaryWriter(str(folder / "tensorboard"), purge_step=last_step + 1)

    def updates(
        self,
        step: int,
        seconds: float,
        instances: int,
        rate: float,
        learning_rate: float,
        means: dict[str, float],
    ) -> None:
        """The means of some updates."""
        row = {
            "step": step,
            "seconds": round(seconds, 1),
            "instances": instances,
            "rate": round(rate, 2),
            "learning_rate": learning_rate,
        }
        self._updates.add(row | {name: f"{value:.6g}" for name, value in means.items()})
        for name, value in (means | {"rate": rate, "learning_rate": learning_rate}).items():
            self._board.add_scalar(name, value, step)

    def validation(self, step: int, seconds: float, found: dict[str, Validated]) -> None:
        """A validation of all settings."""
        for name, result in found.items():
            row = {"step": step, "seconds": round(seconds, 1), "setting": name}
            self._validations.add(row | {k: f"{v:.6g}" for k, v in result._asdict().items()})
            self._board.add_scalar(f"validation/{name}", result.objective, step)
            self._board.add_scalar(f"steps/{name}", result.steps, step)

    def close(self) -> None:
        """Write out what is left."""
        self._board.close()
