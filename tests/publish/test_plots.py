"""Drawings: the same bytes twice, the word on simulated ones, nothing where there is nothing."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import matplotlib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.publish.plots import Plot, cardinality_plot, reliability_plots
from dmb.publish.plots.direct_labels import LINE, apart, shortened, width_of
from dmb.publish.release import Release
from tests.publish.factory import ENTRIES, Answers, contender, golden_release, release, undefined


def texts(plot: Plot) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(plot.svg).iter("{http://www.w3.org/2000/svg}text")]


def plain_release(suites: list[str], *, simulated: bool = False) -> Release:
    return release(
        {"tiny": ENTRIES["tiny"]},
        {("tiny", s): Answers(200, {"valid": 270}, 1.0, simulated=simulated) for s in suites},
        suites,
    )


def test_drawn_twice_the_bytes_are_equal(golden: Release) -> None:
    first = (cardinality_plot(golden), *reliability_plots(golden))
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": "theirs", "lines.linewidth": 9}):
        second = (cardinality_plot(golden_release()), *reliability_plots(golden_release()))
    for one, other in zip(first, second, strict=True):
        assert one is not None and other is not None
        assert (one.svg, one.png) == (other.svg, other.png), one.name


def test_no_date_version_or_foreign_setting_is_in_them(golden: Release) -> None:
    for plot in (cardinality_plot(golden), *reliability_plots(golden)):
        assert plot is not None
        assert "metadata" not in plot.svg and matplotlib.__version__ not in plot.svg
        assert b"Software" not in plot.png and b"Matplotlib" not in plot.png


def test_cardinality_names_every_curve_and_the_cap(golden: Release) -> None:
    plot = cardinality_plot(golden)
    assert plot is not None
    found = texts(plot)
    assert {"Random", "Majority", "Tiny <b>|& `x` ◇", "Cloud 1", "255"} <= set(found)
    # Never asked, so never drawn.
    assert "Cloud 2" not in found


def test_each_curve_of_latencies_has_its_own_name(golden: Release) -> None:
    plot = cardinality_plot(golden)
    assert plot is not None
    names = ("Random", "Majority", "Cloud 1", "Tiny <b>|& `x` ◇")
    # the last one takes no long lists, which a line of its own says
    assert [texts(plot).count(name) for name in names] == [2, 2, 2, 3]


def test_contender_without_latency_is_not_in_the_panel_of_latencies(golden: Release) -> None:
    cell = golden.cells["tiny", "cardinality"]
    gone = cell.model_copy(update={"metrics": cell.metrics | {"latency_p50_ms": undefined("no timed answers")}})
    plot = cardinality_plot(golden_release(scores=tuple(gone if s is cell else s for s in golden.scores)))
    assert plot is not None and texts(plot).count("Tiny <b>|& `x` ◇") == 2


def test_contender_without_any_valid_decision_is_named_below() -> None:
    made = release(
        ENTRIES,
        {
            ("tiny", "cardinality"): Answers(0, {"unsupported": 275}, 1.0, cap=1),
            ("random", "cardinality"): Answers(9, {"valid": 275}, 1.0),
        },
        ["cardinality"],
    )
    plot = cardinality_plot(made)
    # in the strip below; neither panel has a curve of it
    assert plot is not None and texts(plot).count("Tiny <b>|& `x`") == 1


def test_simulated_is_written_across(golden: Release) -> None:
    plot = cardinality_plot(golden)
    assert plot is not None and "simulated" in texts(plot)
    assert {plot.name: "simulated" in texts(plot) for plot in reliability_plots(golden)} == {
        "reliability.random": False,
        "reliability.majority": False,
        "reliability.tiny": True,
        "reliability.cloud": False,
    }


def test_release_without_growing_lists_has_no_cardinality_plot() -> None:
    assert cardinality_plot(plain_release(["intent-77"])) is None


def test_reliability_has_a_panel_per_suite_with_counts() -> None:
    (plot,) = reliability_plots(plain_release(["intent-77", "gate-spam", "cardinality", "confidence-honesty"]))
    found = texts(plot)
    assert {"intent-77", "gate-spam", "cardinality", "confidence-honesty"} <= set(found)
    assert found.count("confidence, and decisions per bin") == 4
    assert not {"simulated"} & set(found)


def test_names_are_pushed_apart_and_stay_in_the_panel() -> None:
    assert apart([0.2, 0.6], 0.05) == [0.2, 0.6]
    assert apart([0.5, 0.5], 0.05) == pytest.approx([0.475, 0.525])
    assert apart([0, 0, 0], 0.05) == pytest.approx([0, 0.05, 0.1])
    assert apart([1, 1], 0.05) == pytest.approx([0.95, 1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_no_two_names_overlap_whatever_the_curves_do(heights: list[float]) -> None:
    found = apart(sorted(heights), 0.05)
    assert all(b - a >= 0.05 - 1e-9 for a, b in itertools.pairwise(found))
    assert found[0] >= -1e-9 and found[-1] <= 1 + 1e-9


def test_twenty_long_names_fit_on_the_drawing() -> None:
    """Boxes of letters as they are drawn: inside the figure, and none on another."""
    entries = {
        f"c{n}": contender(f"A provider's model, version {n}, structured output", baseline="random") for n in range(20)
    }
    answers = {(name, "cardinality"): Answers(200 - n % 3, {"valid": 275}, 100.0 + n) for n, name in enumerate(entries)}
    plot = cardinality_plot(release(entries, answers, ["cardinality"]))
    assert plot is not None
    root = ET.fromstring(plot.svg)
    width = float(root.get("viewBox", "").split()[2])
    names = {shortened(entry.display.label) for entry in entries.values()}
    places: dict[float, list[float]] = {}
    for node in root.iter("{http://www.w3.org/2000/svg}text"):
        if "".join(node.itertext()) in names:
            places.setdefault(round(float(node.get("x", ""))), []).append(float(node.get("y", "")))
    assert [len(ys) for ys in places.values()] == [20, 20]
    for x, ys in places.items():
        assert x + 72 * width_of(names) < width
        assert min(b - a for a, b in itertools.pairwise(sorted(ys))) > 72 * LINE - 0.1


def test_who_cannot_take_long_lists_has_a_line_of_its_own_below(golden: Release) -> None:
    plot = cardinality_plot(golden)
    assert plot is not None and "× unsupported: cannot take such a list" in texts(plot)
    assert "· no valid decision" not in texts(plot)
