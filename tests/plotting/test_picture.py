import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import instances
from geopar.errors import InputError
from geopar.plan import Plan
from geopar.plotting import picture
from geopar.problems.setting import Setting
from strategies import random_plan

BEGINNING = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def a_plan(problem) -> Plan:
    return random_plan(problem, np.random.default_rng(0))


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
def test_the_suffix_says_which_kind(tmp_path, handful, suffix):
    path = tmp_path / f"plan{suffix}"
    picture(handful, a_plan(handful), path)
    assert path.read_bytes().startswith(BEGINNING[suffix.lower()])


def test_both_problems(tmp_path, town, island):
    path = tmp_path / "plan.svg"
    for problem in (town, island):
        picture(problem, a_plan(problem), str(path))
        assert problem.name in path.read_text()


def test_a_problem_without_a_plan(tmp_path, corridor):
    path = tmp_path / "problem.svg"
    picture(corridor, None, path)
    assert "corridor: 3 orders" in path.read_text()


def test_large_fleets(tmp_path):
    problem = Setting("hcvrp", 600, 120).generate(np.random.default_rng(0))
    picture(problem, a_plan(problem), tmp_path / "plan.png")


@pytest.mark.parametrize("name", ["plan.jpg", "plan", "plan.", ".png", "plan.png.txt"])
def test_other_suffixes(tmp_path, square, name):
    with pytest.raises(InputError, match=r"unknown-format.*\.png, \.svg, \.pdf"):
        picture(square, a_plan(square), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path, square):
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").write_text("")
    for name in ("folder.png", "missing/plan.png", "file/plan.png"):
        with pytest.raises(InputError):
            picture(square, a_plan(square), tmp_path / name)


def test_a_wrong_plan_writes_nothing(tmp_path, square, corridor):
    with pytest.raises(InputError, match="wrong-problem"):
        picture(square, a_plan(corridor), tmp_path / "plan.png")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(min_size=1), min_size=2, max_size=2, unique=True))
def test_any_ids(tmp_path, names):
    problem = instances.square().replace(vehicle_ids=names, name=names[0])
    picture(problem, a_plan(problem), tmp_path / "plan.svg")


@pytest.mark.parametrize("suffix", BEGINNING)
def test_odd_ids(tmp_path, handful, suffix):
    names = ["$x", "$\\frac{", "_hidden", "漢字", "🚚", "a\nb", "%", "{0}", "\x00", "\ud800"]
    problem = handful.replace(
        capacity=[40] * len(names), speed=[1] * len(names), vehicle_ids=names, name="".join(names)
    )
    picture(problem, a_plan(problem), tmp_path / f"plan{suffix}")


def test_no_global_state_is_touched():
    # In a process of its own: other tests may have imported pyplot.
    code = (
        "import sys, tempfile, pathlib, instances, strategies, numpy\n"
        "from geopar.plotting import picture\n"
        "problem = instances.square()\n"
        "plan = strategies.random_plan(problem, numpy.random.default_rng(0))\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    picture(problem, plan, pathlib.Path(folder, 'plan.png'))\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    tests = instances.__file__.rpartition("/")[0]
    subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({tests!r})\n{code}"], check=True
    )


def test_a_figure_comes_back_and_shows_itself(handful, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figure = picture(handful, a_plan(handful))
    assert len(figure.axes) == 2
    assert figure._repr_png_().startswith(BEGINNING[".png"])
    assert list(tmp_path.iterdir()) == []


def test_the_rest_of_a_day_has_the_colours_of_the_day(handful):
    rest = handful.select(np.arange(handful.num_tasks), np.arange(1, handful.num_vehicles))
    last = rest.vehicle_ids[-1]
    left = picture(rest, a_plan(rest), fleet=handful.vehicle_ids).axes[0]
    day = picture(handful, a_plan(handful)).axes[0]

    def colour(axes) -> object:
        handles = axes.get_legend().legend_handles
        return next(x.get_color() for x in handles if x.get_label().startswith(last))

    assert colour(left) == colour(day)
