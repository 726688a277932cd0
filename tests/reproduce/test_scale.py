import pytest

from geopar.reproduce.scale import FULL, QUICK, USUAL


@pytest.mark.parametrize("scale", [QUICK, USUAL, FULL], ids=lambda scale: scale.name)
def test_larger_sets_have_fewer_instances(scale) -> None:
    names = ("hcvrp/60/3", "hcvrp/1000/20", "hcvrp/5000/400", "hcvrp/20000/2000")
    counts = [scale.count(name) for name in names]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] >= 1
    assert scale.count("hcvrp/60/3", searching=True) <= counts[0]


def test_no_set_is_asked_for_more_than_it_has() -> None:
    assert FULL.count("hcvrp/1000/20") == 128
    assert FULL.count("omdcpdp/50/5") == 1000


def test_full_is_the_paper_and_each_scale_is_within_the_next() -> None:
    assert set(FULL.share.values()) == {1.0}
    for less, more in ((QUICK, USUAL), (USUAL, FULL)):
        assert less.patience < more.patience
        assert all(less.share[name] <= more.share[name] for name in FULL.share)
