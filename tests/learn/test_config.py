import pytest

from geopar.errors import InputError
from geopar.learn.config import SizeRange, TrainConfig, default_config


def codes(error: pytest.ExceptionInfo[InputError]) -> set[tuple[str, str]]:
    return {(fault.code, fault.field) for fault in error.value.faults}


def test_labelled_instances_are_not_cropped() -> None:
    with pytest.raises(InputError, match="labelled"):
        default_config("hcvrp", "imitate").changed({"crops": "0.5"})


def test_the_defaults_are_the_papers() -> None:
    hcvrp, omdcpdp = default_config("hcvrp"), default_config("omdcpdp")
    assert (hcvrp.augmentations, omdcpdp.augmentations) == (10, 8)
    assert hcvrp.sizes == ("60-100/3-7",)
    assert omdcpdp.sizes == ("50-100/10-50",)
    for config in (hcvrp, omdcpdp):
        assert (config.epochs, config.epoch_size, config.batch_size) == (100, 100_000, 128)
        assert (config.learning_rate, config.milestones, config.decay) == (1e-4, (80, 95), 0.1)
        assignment = config.assignment_config()
        assert (assignment.temperature, assignment.exploration) == (1.2, 0.03)


def test_the_learning_rate_falls_at_the_milestones() -> None:
    config = default_config("hcvrp")
    first, second = 80 * config.steps_per_epoch, 95 * config.steps_per_epoch
    rates = [config.rate_at(step) for step in (0, first - 1, first, second - 1, second)]
    assert rates == pytest.approx([1e-4, 1e-4, 1e-5, 1e-5, 1e-6])


@pytest.mark.parametrize("method", ["imitate", "reinforce"])
@pytest.mark.parametrize("problem", ["hcvrp", "omdcpdp"])
def test_settings_survive_json(problem: str, method: str) -> None:
    config = default_config(problem, method)  # type: ignore[arg-type]
    assert TrainConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(
    ("changes", "code", "name"),
    [
        ({"decoding.mode": "best"}, "unknown-value", "decoding.mode"),
        ({"decoding.tme_weight": "0"}, "unknown-setting", "decoding.tme_weight"),
        ({"learner": "am", "decoding.mode": "ca"}, "not-for-learner", "decoding"),
    ],
)
def test_decoding_that_cannot_be_is_refused(changes: dict[str, str], code: str, name: str) -> None:
    with pytest.raises(InputError) as error:
        default_config("hcvrp").changed(changes)
    assert (code, name) in codes(error)


def test_settings_are_changed_by_text() -> None:
    config = default_config("hcvrp").changed(
        {
            "learning_rate": "3e-4",
            "sizes": "20-30/2,40/3-4",
            "milestones": "3,5",
            "step_prices": "0,0.1",
            "relative": "true",
            "model.layers": "2",
            "assignment.temperature": "0.4",
            "decoding.mode": "ca",
            "decoding.time_weight": "0",
            "validation": "60/5,1000/20:128",
        }
    )
    assert config.learning_rate == 3e-4
    assert config.sizes == ("20-30/2", "40/3-4")
    assert config.milestones == (3, 5)
    assert config.step_prices == (0.0, 0.1)
    assert config.relative is True
    assert config.model_config().to_json()["layers"] == 2
    decoding = config.decoding_config()
    assert decoding is not None
    assert (decoding.mode, decoding.assignment.time_weight) == ("ca", 0.0)
    assert decoding.assignment.makespan_weight == 0.05
    assert config.assignment_config().temperature == 0.4
    assert config.validation_settings()["1000/20"][1] == 128
    assert config.validation_settings()["60/5"][1] == config.validation_count


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(InputError) as error:
        default_config("hcvrp").changed(
            {"sizes": "100-60/3", "batch_size": "0", "variant": "huge", "monitor": "9/9"}
        )
    assert codes(error) == {
        ("bad-size", "sizes"),
        ("out-of-range", "batch_size"),
        ("unknown-value", "variant"),
        ("unknown-value", "monitor"),
    }


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("learning_rte", "1", "unknown-setting"),
        ("model.widht", "1", "unknown-setting"),
        ("assignment.temprature", "1", "unknown-setting"),
        ("assignment.temperature", "0", "out-of-range"),
        ("batch_size", "many", "wrong-type"),
        ("batch_size", "true", "wrong-type"),
        ("learning_rate", "0", "out-of-range"),
        ("learning_rate", "NaN", "out-of-range"),
        ("validation", "60/0", "bad-setting"),
        ("augmentations", "1", "out-of-range"),
        ("model.heads", "7", "out-of-range"),
        ("milestones", "a", "wrong-type"),
        ("step_prices", "a", "wrong-type"),
        ("step_prices", "-0.1", "out-of-range"),
        ("step_prices", "0.1,0.2", "out-of-range"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, value: str, code: str) -> None:
    with pytest.raises(InputError) as error:
        default_config("hcvrp").changed({name: value})
    assert code in {fault.code for fault in error.value.faults}


def test_size_ranges() -> None:
    assert SizeRange.parse("60-100/3-7") == SizeRange((60, 100), (3, 7))
    assert SizeRange.parse("60/3") == SizeRange((60, 60), (3, 3))
    assert [SizeRange.parse(text) for text in ("", "0/3", "9-8/3", "60/3/4", "a/b")] == [None] * 5


@pytest.mark.parametrize(
    ("learner", "name", "value"),
    [
        ("am", "entropy", "0.1"),
        ("am", "method", "imitate"),
        ("pointer", "method", "imitate"),
        ("pointer", "variant", "paper"),
    ],
)
def test_what_a_learner_cannot_do_is_refused(learner: str, name: str, value: str) -> None:
    with pytest.raises(InputError) as error:
        default_config("hcvrp", learner=learner).changed({name: value})
    assert ("not-for-learner", name) in codes(error)


@pytest.mark.parametrize("learner", ["geopar", "pointer", "parco"])
def test_every_learner_has_its_own_network(learner: str) -> None:
    config = default_config("hcvrp", learner=learner)
    assert config.model_config().kind == "hcvrp"
