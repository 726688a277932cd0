from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from geopar.errors import InputError
from geopar.plotting import animation
from geopar.plotting.animation import LAST_FRAME_REPEATS, Stage, animate
from geopar.trace import Trace, read_trace, task_names


def step(*moves: tuple[str, str], stays=(), conflicts=()):
    listed = [{"vehicle": vehicle, "to": to, "probability": 1.0} for vehicle, to in moves]
    return {"moves": listed, "stays": list(stays), "waits": [], "conflicts": list(conflicts)}


@pytest.fixture
def trace():
    """The square, served in two steps after a conflict."""
    fight = {"task": "east", "won": "red", "lost": ["blue"]}
    return Trace(
        "hcvrp",
        "square",
        (
            step(("red", "east"), stays=["blue"], conflicts=[fight]),
            step(("red", "north"), ("blue", "west")),
            step(("red", "home"), ("blue", "south")),
        ),
    )


def test_a_gif_has_a_frame_for_every_step(square, trace, tmp_path):
    animate(square, trace, tmp_path / "a.gif")
    image: Any
    with Image.open(tmp_path / "a.gif") as image:
        # The beginning, three steps, the way home, and a rest; equal frames may be merged.
        assert 5 <= image.n_frames <= 5 + LAST_FRAME_REPEATS
    assert [path.name for path in tmp_path.iterdir()] == ["a.gif"]


def test_the_stage_shows_what_happened(square, trace):
    ax = Figure().subplots()
    stage = Stage(square, trace, ax)
    titles = [ax.get_title(loc="left") for _ in stage.frames()]
    assert titles[0] == "step 0 of 3: 0 of 4 served, 0 lost moves"
    assert titles[1] == "step 1 of 3: 1 of 4 served, 1 lost moves"
    assert titles[3] == "step 3 of 3: 4 of 4 served, 1 lost moves"
    assert len(titles) == 5


def drawn(stage: Stage) -> list[tuple[list, list]]:
    """After each frame the way of the first vehicle, and where it is."""
    shown = []
    for _ in stage.frames():
        way, place = stage._lines.get_segments()[0], np.asarray(stage._fleet.get_offsets())[0]
        shown.append((way.tolist(), place.tolist()))
    return shown


def test_a_task_is_put_behind_its_stop(square):
    steps = [step(("red", name)) for name in ("south", "home", "east", "north", "west")]
    steps[3]["moves"][0]["behind"] = "home"
    steps[4]["moves"][0]["behind"] = "north"
    shown = drawn(Stage(square, Trace("hcvrp", "square", tuple(steps)), Figure().subplots()))
    home, east, north, west, south = [0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]
    before = [home, south, home]
    assert shown[3:] == [
        ([*before, east], east),
        ([*before, north, east], north),
        ([*before, north, west, east], west),
        ([*before, north, west, east, home], home),
    ]


def test_orders_are_drawn_too(corridor):
    moves = [("left", "pickup of a"), ("right", "pickup of c")]
    trace = Trace("omdcpdp", "corridor", (step(*moves), step(("left", "delivery of a"))))
    frames = list(Stage(corridor, trace, Figure().subplots()).frames())
    assert frames == [0, 1, 2]


def test_long_constructions_show_several_steps_in_a_frame(square, trace, monkeypatch):
    monkeypatch.setattr(animation, "MOST_FRAMES", 2)
    assert list(Stage(square, trace, Figure().subplots()).frames()) == [0, 2, 3, 3]


def test_only_gifs_can_be_written(square, trace, tmp_path):
    with pytest.raises(InputError, match="unknown-format"):
        animate(square, trace, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def test_a_trace_is_read_back(square, trace, tmp_path):
    trace.write(tmp_path / "t.json")
    assert read_trace(tmp_path / "t.json", square) == trace
    assert task_names(square) == ["east", "north", "west", "south"]


def with_behind(trace: Trace, at: int, name: object) -> Trace:
    """The same, with the first move of a step behind another stop."""
    steps = [dict(told) for told in trace.steps]
    first, *others = steps[at]["moves"]
    steps[at]["moves"] = [{**first, "behind": name}, *others]
    return Trace(trace.kind, trace.name, tuple(steps))


def test_a_stop_to_come_behind_is_read_back(square, trace, tmp_path):
    for name in ("home", "east"):
        told = with_behind(trace, 1, name)
        told.write(tmp_path / "t.json")
        assert read_trace(tmp_path / "t.json", square) == told


@pytest.mark.parametrize(
    ("at", "name", "code"),
    [
        (1, "nowhere", "unknown-task"),
        (1, 7, "unknown-task"),
        (1, ["east"], "not-a-trace"),
        # It is in the other vehicle's trip, and not yet in any.
        (1, "west", "not-a-trace"),
        (0, "north", "not-a-trace"),
    ],
)
def test_a_stop_that_is_not_in_the_trip_is_refused(square, trace, tmp_path, at, name, code):
    with_behind(trace, at, name).write(tmp_path / "t.json")
    with pytest.raises(InputError, match=code):
        read_trace(tmp_path / "t.json", square)


@pytest.mark.parametrize("text", ["[]", "{", '{"problem": "hcvrp"}', '{"problem": 1, "name": 2, "steps": [3]}'])  # fmt: skip  # noqa: E501
def test_what_is_no_trace_is_refused(square, tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(InputError, match="not-a-trace"):
        read_trace(tmp_path / "t.json", square)


def test_a_trace_of_another_problem_is_refused(square, corridor, trace, tmp_path):
    trace.write(tmp_path / "t.json")
    with pytest.raises(InputError, match="wrong-problem"):
        read_trace(tmp_path / "t.json", corridor)
    with pytest.raises(InputError, match="unknown-task"):
        read_trace(tmp_path / "t.json", square.replace(customer_ids="abcd"))
