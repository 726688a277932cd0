import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import geopar
import instances
from geopar.checking import check
from geopar.files import plan_from_json, problem_to_json

SQUARE = problem_to_json(instances.square())


def body(**more: object) -> dict:
    return {"problem": SQUARE, "time_limit": 0.2, "seed": 1, **more}


def test_solve_answers_with_a_checked_result(client: httpx.Client) -> None:
    answer = client.post("/solve", json=body())
    assert answer.status_code == 200
    result = answer.json()["result"]
    assert result["objective"] == pytest.approx(instances.SQUARE_OPTIMUM)
    assert result["solver"] == "refine"
    report = check(instances.square(), plan_from_json(result["plan"]))
    assert report.feasible
    assert [day["finish"] for day in result["schedule"]] == pytest.approx(report.completion)


def test_one_pass_requests_at_the_same_time_share_a_batch(client: httpx.Client, served) -> None:
    problems = [geopar.generate("hcvrp/12/2", seed) for seed in range(12)]
    before = served.service.metrics.batches.total
    passes = sum(served.service.metrics.batches._counts)
    with ThreadPoolExecutor(12) as threads:
        answers = list(
            threads.map(
                lambda problem: client.post(
                    "/solve", json={"problem": problem_to_json(problem), "solver": "pointer"}
                ),
                problems,
            )
        )
    for problem, answer in zip(problems, answers, strict=True):
        assert answer.status_code == 200
        result = answer.json()["result"]
        assert check(problem, plan_from_json(result["plan"])).feasible
        assert result["solver"] == "pointer"
    assert served.service.metrics.batches.total == before + 12
    assert sum(served.service.metrics.batches._counts) < passes + 12


def test_a_client_that_goes_away_frees_the_worker(client: httpx.Client, served) -> None:
    with pytest.raises(httpx.ReadTimeout):
        client.post("/solve", json=body(time_limit=30), timeout=0.5)
    for _ in range(500):
        if served.service.pool.busy == 0:
            break
        time.sleep(0.02)
    assert served.service.pool.busy == 0
    assert served.service.pool.restarts == 0


def test_trace(client: httpx.Client) -> None:
    answer = client.post("/trace", json={"problem": SQUARE}).json()
    served = [a["task"] for step in answer["steps"] for a in step["actions"] if a["task"]]
    assert sorted(served) == ["east", "north", "south", "west"]
    assert {a["kind"] for step in answer["steps"] for a in step["actions"]} <= {
        "serve", "home", "wait",
    }  # fmt: skip
    assert check(instances.square(), plan_from_json(answer["plan"])).feasible


def test_check_and_validate(client: httpx.Client) -> None:
    assert client.post("/validate", json={"problem": SQUARE}).json()["summary"]["tasks"] == 4
    plan = {"problem": "hcvrp", "routes": [{"vehicle": "red", "trips": [["east", "north"]]}]}
    told = client.post("/check", json={"problem": SQUARE, "plan": plan}).json()
    assert told["feasible"] is False
    assert [v["code"] for v in told["violations"]] == ["unserved", "unserved"]
    assert told["objective"] is None
    assert [stop["task"] for stop in told["schedule"][0]["stops"]] == ["east", "north", None]


def test_what_a_plan_says_that_it_costs_is_no_rule_and_its_own_goal_counts(
    client: httpx.Client,
) -> None:
    trips = {"red": [["east", "north"]], "blue": [["west", "south"]]}
    routes = [{"vehicle": name, "trips": tours} for name, tours in trips.items()]
    plan = {"problem": "hcvrp", "objective": 1.0, "routes": routes}
    told = client.post("/check", json={"problem": SQUARE, "plan": plan}).json()
    assert (told["feasible"], told["claimed"], told["minimise"]) == (True, 1.0, "makespan")
    assert told["objective"] == pytest.approx(instances.SQUARE_OPTIMUM)
    body = {"problem": SQUARE, "plan": plan | {"minimise": "distance"}}
    told = client.post("/check", json=body).json()
    assert told["minimise"] == "distance"
    assert told["objective"] == pytest.approx(2 * instances.SQUARE_OPTIMUM)


def test_a_broken_plan_is_told_with_the_times_that_are_known(client: httpx.Client) -> None:
    trips = [["east", "nowhere"], ["east"]]
    routes = [{"vehicle": "red", "trips": trips}, {"vehicle": "gone", "trips": [["west"]]}]
    plan = {"problem": "hcvrp", "routes": routes}
    told = client.post("/check", json={"problem": SQUARE, "plan": plan}).json()
    codes = {violation["code"] for violation in told["violations"]}
    assert {"unknown-task", "unknown-vehicle", "served-twice"} <= codes
    assert [stop["task"] for stop in told["schedule"][0]["stops"]] == ["east", None, "east", None]


def test_solvers_tell_limits_and_what_is_there(client: httpx.Client) -> None:
    told = client.get("/solvers").json()
    by_name = {solver["name"]: solver for solver in told["solvers"]}
    assert (told["default"], told["ready"]) == ("refine", True)
    assert told["limits"]["tasks"] == 200
    assert by_name["refine"]["anytime"]
    assert not by_name["pointer"]["anytime"]
    assert by_name["pointer"]["available"]


def test_health_metrics_and_page(client: httpx.Client) -> None:
    health = client.get("/health").json()
    assert health["solved"]["objective"] == 12.0
    text = client.get("/metrics").text
    assert 'geopar_requests_total{method="GET",route="/health",status="200"}' in text
    assert "geopar_workers 1\n" in text
    page = client.get("/")
    assert page.status_code == 200
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


def test_generate_and_read_give_a_problem_that_can_be_solved(client: httpx.Client) -> None:
    drawn = client.post("/generate", json={"setting": "hcvrp/5/2", "seed": 3}).json()
    assert drawn["problem"] == problem_to_json(geopar.generate("hcvrp/5/2", 3))
    file = ("city.json", json.dumps(drawn["problem"]).encode())
    read = client.post("/read", files={"files": file}).json()
    assert read == drawn
    solved = client.post("/solve", json=read | {"solver": "dispatch"})
    assert solved.status_code == 200, solved.text
    stops = ("stops.csv", b"id,x,y,Phon\ndepot,0,0,\na,1,1,5\n")
    vans = ("vehicles.csv", b"id,speed\nvan,1\n")
    (remark,) = client.post("/read", files=[("files", stops), ("files", vans)]).json()["remarks"]
    assert "Phon" in remark
    bad = client.post("/read", files={"files": ("city.json", b'{"problem": "hcvrp"}')})
    assert bad.status_code == 422
    assert {f["code"] for f in bad.json()["error"]["faults"]} == {"missing-field"}


def test_a_full_queue_is_told(client: httpx.Client, served) -> None:
    made = [client.post("/jobs", json=body(time_limit=20)).json()["id"]]
    served.wait(made[0], "running")
    made += [client.post("/jobs", json=body()).json()["id"] for _ in range(3)]
    refused = client.post("/jobs", json=body())
    assert refused.status_code == 429
    assert "limit is 3" in refused.json()["error"]["message"]
    assert refused.headers["retry-after"] == "1"
    assert client.post("/solve", json=body()).status_code == 429
    positions = [client.get(f"/jobs/{id}").json()["position"] for id in made]
    assert positions == [None, 1, 2, 3]
    for id in reversed(made):
        assert client.delete(f"/jobs/{id}").json()["status"] == "stopped"


def test_nobody_waits_for_somebody_who_does_not_send(client: httpx.Client) -> None:
    """Other requests are answered while a body dribbles in."""
    done = threading.Event()

    def dribble():
        yield b'{"problem": '
        done.wait(10)
        yield b"1}"

    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(
            lambda: client.post(
                "/solve", content=dribble(), headers={"Content-Type": "application/json"}
            )
        )
        assert client.post("/validate", json={"problem": SQUARE}).status_code == 200
        done.set()
        assert slow.result().status_code == 422


# The search of days may have to be compiled first.
FIRST = 900.0
WORKING_DAY = {
    "problem": "hcvrp",
    "time_unit": "minutes",
    "depot": {"x": 0, "y": 0, "opens": "08:00", "loading": 10},
    "customers": [
        {"id": "baker", "x": 3, "y": 0, "service": 5, "windows": [["09:00", "09:30"]]},
        {"id": "inn", "x": 0, "y": 4, "service": 5},
        {"id": "moon", "x": 900, "y": 0},
    ],
    "vehicles": [{"id": "van", "speed": 1, "available": ["08:00", "12:00"]}],
}


def test_a_working_day_is_solved_with_its_schedule_and_what_is_left_out(client) -> None:
    result = client.post("/solve", json=body(problem=WORKING_DAY), timeout=FIRST).json()["result"]
    [(request, reason)] = [(one["request"], one["reason"]) for one in result["left_out"]]
    assert request == "moon"
    assert "in time" in reason
    [day] = result["schedule"]
    baker = next(stop for stop in day["stops"] if stop["task"] == "baker")
    assert 540 <= baker["arrival"] + baker["waiting"] <= 570
    assert baker["service"] == 5
    # What a search tells on its way does not hold what it costs to leave out.
    assert all(0 < objective < 1000 for _, objective in result["history"])


def test_a_plan_to_begin_with_is_mended_and_what_has_begun_is_kept(client) -> None:
    started = {"problem": "hcvrp", "routes": [{"vehicle": "van", "trips": [["inn"], ["gone"]]}]}
    asked = body(problem=WORKING_DAY, start=started, keep=60)
    result = client.post("/solve", json=asked, timeout=FIRST).json()["result"]
    assert result["plan"]["routes"][0]["trips"][0] == ["inn"]
    assert any("mended" in note for note in result["notes"])


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"keep": 5}, "start"),
        ({"keep": -1, "start": {"problem": "hcvrp", "routes": []}}, "keep"),
        ({"start": {"problem": "omdcpdp", "routes": []}}, "plan"),
        ({"start": {"problem": "hcvrp"}}, "routes"),
    ],
)
def test_starts_that_make_no_sense_are_refused(client, more, field) -> None:
    answer = client.post("/solve", json=body(**more))
    assert answer.status_code == 422
    assert field in json.dumps(answer.json()["error"]["faults"])
