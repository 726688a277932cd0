import pytest

import spread_tasks
from geopar.spread.serial import Serial


def test_tasks_are_done_in_their_order() -> None:
    assert [one.number for one in Serial().run(spread_tasks.square, [3, 1, 2])] == [0, 1, 2]


def test_ctrl_c_is_no_error_of_a_task() -> None:
    def stopped(number: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Serial().run(stopped, [1]))
