import csv
from pathlib import Path

from geopar.learn.logbook import UPDATES, Logbook
from geopar.learn.validate import Validated


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_updates_and_validations_become_rows(tmp_path: Path) -> None:
    book = Logbook(tmp_path, last_step=0)
    book.updates(10, 1.26, 160, 12.5, 1e-4, {"cost": 6.5, "gradient": 0.25})
    book.validation(
        10, 1.26, {"60/3": Validated(7.0, 40.0, 1.1), "60/5": Validated(4.5, 30.0, 1.2)}
    )
    book.close()
    (update,) = rows(tmp_path / "log.csv")
    assert list(update) == UPDATES
    assert (update["step"], update["seconds"], update["rate"]) == ("10", "1.3", "12.5")
    assert (update["cost"], update["gradient"], update["agreement"]) == ("6.5", "0.25", "")
    found = rows(tmp_path / "validation.csv")
    assert [(row["setting"], row["objective"]) for row in found] == [("60/3", "7"), ("60/5", "4.5")]
    assert list((tmp_path / "tensorboard").iterdir())


def test_a_resumed_log_forgets_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    for last in (0, 20):
        book = Logbook(tmp_path, last_step=last)
        for step in (last + 10, last + 20, last + 30):
            book.updates(step, 1.0, step, 1.0, 1e-4, {"cost": float(step)})
        book.close()
    assert [int(row["step"]) for row in rows(tmp_path / "log.csv")] == [10, 20, 30, 40, 50]
    assert rows(tmp_path / "log.csv")[2]["instances"] == "30"
