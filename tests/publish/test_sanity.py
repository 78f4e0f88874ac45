"""Each check both ways."""

from __future__ import annotations

from typing import Any

from dmb.publish.markdown import report_md
from dmb.publish.page import page_html
from dmb.publish.release import Release
from dmb.publish.sanity import Line, summary
from dmb.publish.sections import notices
from tests.publish.factory import ENTRIES, Answers, contender, release

ALL = {"valid": 300}


def made(**answers: Answers) -> Release:
    entries = {name: ENTRIES[name] for name in ("random", "majority", "tiny")}
    given = {"random": Answers(30, ALL, 1.0), "tiny": Answers(200, ALL, 1.0, served=("tiny",))} | answers
    return release(entries, {(name, "intent-77"): what for name, what in given.items()}, ["intent-77"])


def found(subject: Release, check: str) -> list[tuple[str, str]]:
    return [(line.verdict, line.text) for line in subject.sanity_lines if line.check == check]


def prior(**changes: Any) -> dict[str, Any]:
    return {"suite": "intent-77", "option": "lost_card", "value": 0.02, "file_sha256": "0" * 64} | changes


def test_random_is_the_floor() -> None:
    check = "better than random"
    above = found(made(), check)
    assert above == [("ok", "Tiny <b>|& ˋxˋ on `intent-77`: above random (66.7 against 10.0).")]
    assert found(made(tiny=Answers(33, ALL, 1.0)), check)[0] == (
        "undecided",
        "Tiny <b>|& ˋxˋ on `intent-77`: not told apart from random (11.0 against 10.0), nor above it.",
    )
    assert found(made(majority=Answers(33, ALL, 1.0)), check)[0] == (
        "ok",
        "Majority on `intent-77`: not told apart from random (11.0 against 10.0), as may be: it always answers the same.",
    )
    assert found(made(majority=Answers(3, ALL, 1.0)), check)[0][0] == "look"
    assert found(made(tiny=Answers(3, ALL, 1.0)), check)[0] == (
        "look",
        "Tiny <b>|& ˋxˋ on `intent-77`: below random (1.0 against 10.0): look for an adapter fault.",
    )
    assert found(made(tiny=Answers(0, {"failed": 300}, 1.0)), check)[0] == (
        "look",
        "Tiny <b>|& ˋxˋ on `intent-77`: not compared, no accuracy (no row to divide by).",
    )
    assert found(made(tiny=Answers(0, {"unsupported": 300}, 1.0)), check)[0][0] == "ok"
    stopped = Answers(0, {"unsupported": 200, "skipped": 100}, 1.0, status="dnf")
    assert found(made(tiny=stopped), check)[0][0] == "ok"
    alone = release({"tiny": ENTRIES["tiny"]}, {}, ["intent-77"])
    assert found(alone, check) == [("look", "`random` is not in this release, so nothing was compared with it.")]


def test_honesty_suites_are_compared_on_their_controls() -> None:
    entries = {name: ENTRIES[name] for name in ("random", "tiny")}
    given = {(name, "confidence-honesty"): Answers(n, ALL, 1.0) for name, n in (("random", 60), ("tiny", 180))}
    assert found(release(entries, given, ["confidence-honesty"]), "better than random")[0][1].endswith(
        "above random (90.0 against 30.0)."
    )


def test_majority_is_its_prior() -> None:
    check = "majority equals its prior"
    assert found(made(majority=Answers(6, ALL, 1.0, prior=prior())), check) == [
        ("ok", "Majority on `intent-77`: accuracy is the share of lost_card (2.0).")
    ]
    assert found(made(majority=Answers(9, ALL, 1.0, prior=prior())), check) == [
        ("look", "Majority on `intent-77`: accuracy differs from the share of lost_card (3.0, not 2.0).")
    ]
    assert found(made(majority=Answers(9, ALL, 1.0, prior=prior(suite="other"))), check) == [
        ("ok", "Majority on `intent-77`: not compared, its prior comes from `other`.")
    ]
    assert found(made(majority=Answers(9, ALL, 1.0)), check)[0][1].startswith(
        "Majority on `intent-77`: not compared, it has no prior"
    )


def test_outcomes_add_up() -> None:
    check = "outcomes sum to expected"
    assert found(made(), check) == [("ok", "In every cell, 3 in all.")]
    assert found(made(tiny=Answers(2, {"valid": 299}, 1.0)), check) == [
        ("look", "Tiny <b>|& ˋxˋ on `intent-77`: 299 outcomes for 300 expected rows.")
    ]


def test_served_model_is_the_asked_one() -> None:
    check = "served model is the asked model"
    assert found(made(), check) == [("ok", "Tiny <b>|& ˋxˋ: tiny.")]
    assert found(made(tiny=Answers(200, ALL, 1.0)), check) == [
        ("look", "Tiny <b>|& ˋxˋ: the replies do not say which model answered.")
    ]
    assert found(made(tiny=Answers(200, ALL, 1.0, served=("tiny-2026-08-01",))), check)[0][0] == "ok"
    assert found(made(tiny=Answers(200, ALL, 1.0, served=("tiny-mini",))), check) == [
        ("look", "Tiny <b>|& ˋxˋ: asked for tiny, served tiny-mini.")
    ]
    assert found(made(tiny=Answers(200, ALL, 1.0, served=("tiny", "tiny-2026-08-01"))), check)[0][0] == "look"


def test_several_models_in_one_cell_are_named() -> None:
    check = "one model answered each cell"
    assert found(made(), check) == [("ok", "In all 1 cell whose replies name one.")]
    assert found(made(tiny=Answers(200, ALL, 1.0)), check) == []
    assert found(made(tiny=Answers(200, ALL, 1.0, served=("tiny", "tiny-2026-08-01"))), check) == [
        ("look", "Tiny <b>|& ˋxˋ on `intent-77`: its rows were answered by 2 models: tiny, tiny-2026-08-01.")
    ]


def test_collapse_is_mentioned() -> None:
    check = "no single label above 90 %"
    assert found(made(), check) == [("ok", "In no cell.")]
    one = {"a": 280, "b": 20}
    assert found(made(tiny=Answers(200, ALL, 1.0, predictions=one)), check) == [
        ("look", "Tiny <b>|& ˋxˋ on `intent-77`: 93.3 % of its answers are a.")
    ]
    assert found(made(majority=Answers(200, ALL, 1.0, predictions=one)), check)[0][0] == "ok"
    assert found(made(tiny=Answers(200, ALL, 1.0, predictions={"a": 270, "b": 30})), check) == [("ok", "In no cell.")]


def test_summary_hides_no_verdict() -> None:
    lines = (Line("ok", "a", "b"), Line("undecided", "a", "b"), Line("undecided", "a", "b"))
    assert summary(lines) == (
        "Of 3 findings, none need a look, 2 are undecided (a contender not told apart from random) and 1 is in order."
    )
    undecided = made(tiny=Answers(33, ALL, 1.0))
    counts = summary(undecided.sanity_lines)
    assert " 1 is undecided " in counts and notices(undecided) == (f"Sanity checks: {counts}",)
    assert notices(made()) == ()
    for text in (report_md(undecided), page_html(undecided)):
        # Listed before whatever is folded.
        section = text[text.rindex("Of 4 findings") :]
        assert section.index("not told apart from random (") < section.index("<details>")


def test_lines_are_plain_data() -> None:
    assert all(isinstance(line, Line) for line in made().sanity_lines)
    assert not found(
        release({"r": contender("R", baseline="random")}, {}, ["intent-77"]), "served model is the asked model"
    )
