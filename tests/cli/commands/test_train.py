import json
from pathlib import Path

import pytest

SMALL = (
    "model.width=8", "model.heads=2", "model.layers=1", "model.feedforward=8", "sizes=8/2",
    "batch_size=2", "epoch_size=2", "epochs=2", "milestones=", "augmentations=2",
    "validation=8/2", "validation_count=4", "monitor=mean",
)  # fmt: skip


def settings(*more: str) -> list[str]:
    return [part for text in (*SMALL, *more) for part in ("--set", text)]


def test_a_run_is_made_and_resumed(run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = run("train", "hcvrp", "--folder", folder, "--minutes", 1e-9, *settings())
    assert first.exit_code == 0, first.output
    assert "learning_rate = 0.0001" in first.stderr
    assert "At update 1 of 2" in first.stderr
    again = run("train", "hcvrp", "--folder", folder, "--resume")
    assert again.exit_code == 0, again.output
    assert "At update 2 of 2" in again.stderr
    assert "validation  8/2:" in again.stderr
    kept = {path.name for path in folder.iterdir()}
    assert kept >= {
        "config.json", "checkpoint.pt", "best.safetensors", "best.json", "log.csv",
        "validation.csv", "tensorboard",
    }  # fmt: skip
    twice = run("train", "hcvrp", "--folder", folder, *settings())
    assert twice.exit_code == 2
    assert "run-exists" in twice.stderr


def test_imitation_makes_its_labels(run, tmp_path: Path) -> None:
    result = run(
        "train", "omdcpdp", "--imitate", "--folder", tmp_path / "run", "--labels",
        tmp_path / "labels", "--minutes", 1e-9,
        *settings("label_shards=1", "label_iterations=2"),
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "labels").glob("omdcpdp-*/00000.npz"))) == 1


def test_labels_may_be_made_first(run, tmp_path: Path) -> None:
    done = run(
        "train", "hcvrp", "--imitate", "--folder", tmp_path / "run", "--labels",
        tmp_path / "labels", "--cluster", "serial", "--minutes", 1e-9,
        *settings("label_shards=2", "label_iterations=2"),
    )  # fmt: skip
    assert done.exit_code == 0
    assert "Made 2 shards" in done.stderr
    assert len(list((tmp_path / "labels").rglob("*.npz"))) == 2


def test_a_peer_learns_by_the_same_command(run, tmp_path: Path) -> None:
    folder, small = tmp_path / "run", ("model.width=8", "model.heads=2", "sizes=5/2", "validation=")
    changes = [part for text in small for part in ("--set", text)]
    first = run(
        "train", "hcvrp", "--model", "am", "--folder", folder, "--minutes", 1e-9,
        *changes, "--set", "batch_size=2",
    )  # fmt: skip
    assert first.exit_code == 0, first.output
    assert "learner = am" in first.stderr
    again = run("train", "hcvrp", "--folder", folder, "--resume", "--minutes", 1e-9)
    assert "At update 2 of" in again.stderr
    other = run("train", "hcvrp", "--model", "dpn", "--folder", folder, "--resume")
    assert other.exit_code == 2


def test_settings_are_shown(run, tmp_path: Path) -> None:
    result = run("train", "hcvrp", "--show-settings", "--folder", tmp_path / "run")
    assert json.loads(result.stdout)["batch_size"] == 128
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("tsp",), "unknown-problem"),
        (("hcvrp", "--set", "learning_rate"), "bad-setting"),
        (("hcvrp", "--set", "lerning_rate=1"), "unknown-setting"),
        (("hcvrp", "--set", "sizes=0/0"), "bad-size"),
        (("hcvrp", "--minutes", "0"), "out-of-range"),
        (("hcvrp", "--resume"), "no-checkpoint"),
        (("hcvrp", "--from", "nothing"), "no-weights"),
        (("hcvrp", "--processes", "0"), "out-of-range"),
        (("hcvrp", "--model", "nobody"), "unknown-value"),
        (("omdcpdp", "--model", "am"), "unknown-value"),
        (("hcvrp", "--model", "am", "--imitate"), "not-for-learner"),
        (("hcvrp", "--device", "abacus"), "bad-device"),
        ((), "unknown-problem"),
        (("hcvrp", "--recipe", "hcvrp-pointer"), "unused-option"),
        (("--recipe", "hcvrp-pionter"), "unknown-recipe"),
        (("--recipe", "hcvrp-pointer", "--set", "seed=2"), "unused-option"),
        (("--recipe", "hcvrp-pointer", "--stage", "begin"), "missing-setting"),
    ],
)
def test_bad_input_is_told_and_nothing_is_made(
    run, tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    folder = tmp_path / "run"
    result = run("train", *arguments, "--folder", folder, "--labels", tmp_path / "labels")
    assert result.exit_code == 2
    assert expected in result.stderr
    assert not folder.exists()


def test_a_run_of_another_problem_or_method_is_not_resumed(run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert run("train", "hcvrp", "--folder", folder, "--minutes", 1e-9, *settings()).exit_code == 0
    for other in (("omdcpdp",), ("hcvrp", "--imitate"), ("hcvrp", "--model", "parco")):
        refused = run("train", *other, "--folder", folder, "--resume")
        assert refused.exit_code == 2
        assert "other-run" in refused.stderr


def test_a_recipe_goes_through_its_stages_and_on_when_stopped(run, tmp_path: Path) -> None:
    recipe = tmp_path / "tiny.toml"
    stage = "\n".join(
        [
            "[[stages]]", 'name = "%s"', "sizes = ['8/2']", "batch_size = 2", "epoch_size = 2",
            "epochs = 1", "milestones = []", "augmentations = 2", "validation = ['8/2']",
            "validation_count = 4", "monitor = 'mean'",
            "model = { width = 8, heads = 2, layers = 1, feedforward = 8 }", "",
        ]
    )  # fmt: skip
    text = 'problem = "hcvrp"\nlearner = "geopar"\n' + stage % "one" + stage % "two"
    recipe.write_text(text)
    place = ("--recipe", recipe, "--folder", tmp_path / "runs")
    first = run("train", *place)
    assert first.exit_code == 0, first.output
    assert "Stage two" in first.stderr
    weights = tmp_path / "runs" / "2-two" / "best.safetensors"
    assert str(weights) in first.stderr.replace("\n", "")
    assert weights.exists()
    shown = run("train", "--recipe", recipe, "--show-settings")
    assert set(json.loads(shown.stdout)) == {"one", "two"}
