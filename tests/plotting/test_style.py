import itertools

import pytest
from matplotlib.figure import Figure

from geopar.plotting import style


@pytest.mark.parametrize("count", [1, 2, 8, 10, 11, 40])
def test_colours_differ_and_show_on_white(count):
    colours = style.palette(count)
    assert len(colours) == count
    for one, other in itertools.combinations(colours, 2):
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) > 0.02
    for red, green, blue in colours:
        assert 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 < 0.5


def test_vehicles_keep_the_colours_that_they_have_in_a_larger_fleet():
    fleet = ["a", "b", "c"]
    red, green, blue = style.colours_of(fleet)
    assert style.colours_of(["c", "a"], fleet) == [blue, red]
    assert style.colours_of(["c", "new"], fleet)[0] == blue
    assert style.colours_of(["c", "new"], fleet)[1] not in (red, green, blue)


def test_lighter():
    assert style.lighter((0.2, 0.4, 0.6), 0.0) == pytest.approx((0.2, 0.4, 0.6))
    assert style.lighter((0.2, 0.4, 0.6), 1.0) == pytest.approx((1.0, 1.0, 1.0))


def test_ink_thins_out_and_never_past_its_ends():
    sizes = [style.fade(count, 2.0, 0.5) for count in (1, 10, 100, 1000, 5000, 10**6)]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[1], sizes[-1]) == (2.0, 2.0, 0.5)


def test_labels_are_cut_and_shown():
    assert style.label("truck") == "truck"
    assert len(style.label("x" * 100)) == style.LONGEST_LABEL
    assert not style.label("_hidden").startswith("_")
    assert style.label("two\nlines\x00") == "two lines "


def test_titles_are_cut_and_no_formulas():
    ax = style.axes_or_new(None)
    style.title(ax, "$x" * 100)
    assert len(ax.get_title(loc="left")) == style.LONGEST_TITLE
    ax.figure.draw_without_rendering()


def test_given_axes_are_kept():
    ax = Figure().subplots()
    assert style.axes_or_new(ax) is ax
