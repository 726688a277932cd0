from geopar.spread.closing import Closing


def test_closed_at_the_end() -> None:
    class Thing(Closing):
        closed = False

        def close(self) -> None:
            self.closed = True

    with Thing() as thing:
        assert not thing.closed
    assert thing.closed
