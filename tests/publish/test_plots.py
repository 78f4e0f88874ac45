"""Drawings: the same bytes twice, the word on simulated ones, nothing where there is nothing."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import matplotlib
import pytest

from dmb.publish.plots import Plot, cardinality_plot, reliability_plots
from dmb.publish.plots.cardinality import _apart
from dmb.publish.release import Release
from tests.publish.factory import ENTRIES, Answers, golden_release, release, undefined


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
    names = ("Random", "Majority", "Tiny <b>|& `x` ◇", "Cloud 1")
    assert {name: texts(plot).count(name) for name in names} == dict.fromkeys(names, 2)


def test_contender_without_latency_is_not_in_the_panel_of_latencies(golden: Release) -> None:
    cell = golden.cells["tiny", "cardinality"]
    gone = cell.model_copy(update={"metrics": cell.metrics | {"latency_p50_ms": undefined("no timed answers")}})
    plot = cardinality_plot(golden_release(scores=tuple(gone if s is cell else s for s in golden.scores)))
    assert plot is not None and texts(plot).count("Tiny <b>|& `x` ◇") == 1


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
    assert plot is not None and "No valid decision at any size: Tiny <b>|& `x`" in texts(plot)


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
    assert _apart([20, 60]) == [20, 60]
    assert _apart([50, 50]) == pytest.approx([47.3, 52.7])
    assert _apart([0, 0, 0]) == pytest.approx([-4, 1.4, 6.8])
    assert _apart([100, 100])[-1] == pytest.approx(102)
