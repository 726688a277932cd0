import asyncio

import geopar
from geopar.service.orders import TraceOrder
from geopar.service.pool import Run
from geopar.service.queueing import Line


def test_first_come_first_served() -> None:
    async def run() -> None:
        line = Line()
        one, two, three = (Run(TraceOrder(geopar.generate("hcvrp/2/1", 0), 0)) for _ in range(3))
        for each in (one, two, three):
            line.add(each)
        assert [line.position(each) for each in (one, two, three)] == [1, 2, 3]
        assert line.leave(two)
        assert not line.leave(two)
        assert line.take() is one
        assert line.position(three) == 1
        assert line.position(one) is None
        assert (line.take(), line.take(), len(line)) == (three, None, 0)

    asyncio.run(run())
