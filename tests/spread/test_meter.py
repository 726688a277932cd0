import pytest

from geopar.spread.meter import Meter, span


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_rate_and_time_left() -> None:
    clock = Clock()
    meter = Meter(1000, clock)
    for _ in range(10):
        meter.count()
    clock.now += 4.0
    assert meter.rate == 2.5
    assert meter.seconds_left == 396.0
    assert meter.line(2) == "10 of 1,000  2 workers  2.5/s  6:36 left"


def test_failures_are_told() -> None:
    meter = Meter(None, Clock())
    meter.count(failed=True)
    assert meter.line(1).startswith("1  1 worker")
    assert meter.line(1).endswith("1 failed")


def test_what_need_not_be_done_does_not_count() -> None:
    meter = Meter(5, Clock())
    meter.skip()
    meter.count()
    assert meter.line(1).startswith("1 of 4")


@pytest.mark.parametrize("total", [None, 5])
def test_nobody_knows_at_first(total: int | None) -> None:
    meter = Meter(total, Clock())
    assert meter.seconds_left is None


@pytest.mark.parametrize(("seconds", "text"), [(7.4, "0:07"), (152, "2:32"), (3900, "1:05:00")])
def test_spans(seconds: float, text: str) -> None:
    assert span(seconds) == text
