"""The client against a service that really runs."""

import contextlib
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

import geopar
from geopar.client import Client, Event, ServiceError
from geopar.files import problem_from_json, problem_to_json, write_problem
from geopar.plan import Plan
from geopar.service.limits import Limits
from geopar.service.service import Settings
from instances import plan_of, square, town
from service_running import running


@pytest.fixture(scope="module")
def client():
    settings = Settings(limits=Limits(concurrent=1), network_workers=1, token="open sesame")
    with running(settings) as served:
        made = Client(served.url, token="open sesame")
        # Not well until its workers are warm, which takes long where nothing is compiled yet.
        for _ in range(600):
            with contextlib.suppress(ServiceError):
                made.health()
                break
            time.sleep(0.5)
        yield made


def test_solve_and_wait(client) -> None:
    result = client.solve(square(), 0.2, seed=3)
    assert result.feasible
    assert result.seed == 3
    assert result.objective == pytest.approx(3.4142135)
    again = client.solve(square(), 0.1, start=result.plan, solver="refine")
    assert again.objective <= result.objective


def test_a_job_from_its_events_to_its_sheet(client) -> None:
    job = client.submit(town(), 0.5)
    seen = []
    result = job.wait(lambda event: seen.append(event.kind))
    assert result.feasible
    assert seen[-1] == "end"
    assert "improvement" in seen
    assert job.status == "finished"
    assert b"Home by" in job.sheet()
    first, *_ = town().vehicle_ids
    assert first.encode() in job.sheet("csv", [first])
    assert [*job.events()][-1].kind == "end"


def test_a_run_of_so_many_iterations_repeats(client) -> None:
    problem = geopar.generate("hcvrp/20/3")
    one, other = (client.solve(problem, seed=2, iterations=3000) for _ in range(2))
    assert one.iterations == 3000
    assert one.plan == other.plan == geopar.solve(problem, geopar.MaxIterations(3000), 2).plan


def test_a_run_ends_at_its_target(client) -> None:
    problem = geopar.generate("hcvrp/20/3")
    easy = client.solve(problem, 0.1).objective * 1.5
    result = client.submit(problem, 25.0, target=easy, threads=1).wait()
    assert result.seconds < 20.0
    assert result.objective <= easy


def test_a_job_by_its_id_knows_its_problem(client) -> None:
    id = client.submit(town(), 0.2).id
    job = client.job(id)
    job.wait()
    assert job.problem == town()
    assert id in {one.id for one in client.jobs(5)}
    assert repr(client.jobs(1)[0]).endswith("finished>")


def test_an_observer_may_stop_a_job(client) -> None:
    job = client.submit(geopar.generate("hcvrp/60/3"), 30)
    result = job.wait(lambda event: event.kind == "improvement")
    assert result.feasible
    assert job.status == "stopped"


def test_everything_else_that_the_service_does(client, tmp_path) -> None:
    assert client.health()["status"] == "ok"
    assert client.solvers()["default"] == "refine"
    problem = client.generate("hcvrp/12/2", 5)
    assert problem == geopar.generate("hcvrp/12/2", 5)
    write_problem(square(), tmp_path / "a square.json")
    assert client.read(tmp_path / "a square.json") == square()
    plan = plan_of({"red": [["east", "north"]], "blue": [["south", "west"]]})
    assert client.check(square(), plan)["feasible"]
    assert b"<h1>red</h1>" in client.sheet(square(), plan, vehicles=["red"])


def test_how_good_a_plan_could_be(client) -> None:
    problem = geopar.generate("hcvrp/12/2")
    found = client.bound(problem, 2.0)
    assert isinstance(found, geopar.bounding.Bound)
    assert 0.0 <= found.above(client.solve(problem, 0.2).objective) < 1.0
    with pytest.raises(ServiceError, match="bound") as refused:
        client.bound(geopar.generate("omdcpdp/12/2"))
    assert refused.value.code == "no-bound"


def test_the_rest_of_a_day(client) -> None:
    plan = plan_of({"red": [["east", "north"]], "blue": [["south", "west"]]})
    rest = client.rest_of_day(square(), plan, 1.5, out_of_service=["blue"])
    assert rest["done"] == ["east", "south"]
    here = geopar.rest_of_day(square(), plan, 1.5, out_of_service=["blue"])
    assert rest["problem"] == here.problem
    assert rest["start"] == here.start
    result = client.solve(rest["problem"], 0.1, start=rest["start"])
    told = client.rest_of_day(square(), plan, 1.5, out_of_service=["blue"], new_plan=result.plan)[
        "changes"
    ]
    assert [one["vehicle"] for one in told] == ["red", "blue"]
    assert client.rest_of_day(square(), plan, 99)["problem"] is None


def test_who_is_out_of_service_is_on_the_sheets_of_the_rest(client) -> None:
    day = client.submit(square(), 0.1)
    plan = day.wait().plan
    asked = {"job": day.id, "now": 0.1, "out_of_service": ["blue"]}
    rest = client.rest_of_day(square(), plan, 0.1, out_of_service=["blue"])
    job = client.submit(rest["problem"], 0.1, start=rest["start"], rest_of=asked)
    new = job.wait().plan
    told = b"Out of service from 0.1: last at the depot"
    assert told in job.sheet()
    assert told in client.sheet(rest["problem"], new, rest_of=asked)


def test_refusals_say_what_is_wrong(client) -> None:
    with pytest.raises(ServiceError) as caught:
        client.solve(square(), -1.0)
    assert caught.value.status == 422
    assert caught.value.code == "bad-limit"
    assert caught.value.faults[0]["field"] == "time_limit"
    with pytest.raises(ServiceError, match="no job"):
        client.job("nobody")
    with pytest.raises(ServiceError) as caught:
        client.sheet(square(), Plan("hcvrp", ()), "pdf")
    assert caught.value.code == "unknown-format"


def test_a_wrong_token(client) -> None:
    with pytest.raises(ServiceError) as caught:
        Client(client._url, token="guess").jobs()
    assert caught.value.status == 401


def test_nobody_there() -> None:
    with pytest.raises(ServiceError, match="geopar serve") as caught:
        Client("http://127.0.0.1:9").health()
    assert caught.value.status == 0


class _Broken(BaseHTTPRequestHandler):
    """A server that loses its event streams, and speaks no JSON elsewhere."""

    streams = 0

    def do_GET(self) -> None:
        if "/events" in self.path:
            type(self).streams += 1
            self.send_response(200)
            self.end_headers()
            if type(self).streams < 3:
                self.wfile.write(b'id: 1\nevent: status\ndata: {"status": "running"}\n\n')
                self.wfile.write(b"event: improvement\nda")  # cut off
                return
            assert self.path.endswith("after=1")
            self.wfile.write(b': hello\n\nid: 2\nevent: end\ndata: {"status":\ndata: "x"}\n\n')
            return
        self.send_response(418)
        self.end_headers()
        self.wfile.write(b"<html>")

    def log_message(self, *args) -> None:
        pass


@pytest.fixture
def broken():
    server = HTTPServer(("127.0.0.1", 0), _Broken)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Client(f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_lost_stream_is_taken_up_where_it_was(broken, monkeypatch) -> None:
    monkeypatch.setattr("geopar.client.PATIENCE", 0.0)
    from geopar.client import Job

    found = [*Job(broken, "x").events()]
    assert found == [
        Event("status", {"status": "running"}),
        Event("status", {"status": "running"}),
        Event("end", {"status": "x"}),
    ]


def test_an_answer_without_words(broken) -> None:
    with pytest.raises(ServiceError, match="418") as caught:
        broken.health()
    assert caught.value.code == "no-words"


def test_jobs_are_made_once_listed_by_status_and_name_and_forgotten(client) -> None:
    named = problem_from_json({**problem_to_json(town()), "name": "Saturday north"})
    first, again = (client.submit(named, seed=4, solver="dispatch", key="s-1") for _ in range(2))
    assert first.id == again.id
    with pytest.raises(ServiceError, match="another body") as refused:
        client.submit(named, seed=5, solver="dispatch", key="s-1")
    assert refused.value.code == "key-reused"
    more = [client.submit(named, solver="dispatch") for _ in range(2)]
    for job in (first, *more):
        job.wait()
    found = client.jobs(None, status=["finished", "stopped"], name="saturday")
    assert [job.id for job in found] == [more[1].id, more[0].id, first.id]
    assert [job.id for job in client.jobs(2, name="saturday")] == [more[1].id, more[0].id]
    assert client.jobs(status="queued", name="saturday") == []
    for job in found:
        job.forget()
    assert client.jobs(None, name="saturday") == []
    with pytest.raises(ServiceError) as gone:
        first.refresh()
    assert gone.value.status == 404


def test_a_job_is_named_and_renamed(client) -> None:
    job = client.submit(square(), solver="dispatch", name="Monday")
    assert job.name == "Monday"
    job.wait()
    job.rename("Monday, final")
    assert job.name == client.job(job.id).name == "Monday, final"
    assert [one.id for one in client.jobs(None, name="monday, final")] == [job.id]
    job.rename(None)
    assert job.name is None
    job.forget()


def test_all_jobs_are_listed_page_by_page(client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("geopar.client.LARGEST_PAGE", 1)
    made = [client.submit(square(), solver="dispatch") for _ in range(3)]
    assert [job.id for job in client.jobs(3)] == [job.id for job in made[::-1]]
    assert {job.id for job in made} <= {job.id for job in client.jobs(None)}
