"""Runs that were really asked, merged: what counts, what is refused, and what is written down."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dmb.errors import DamagedFile, DmbError, MissingEvidence, UsageError
from dmb.merge.merged import merge_runs
from dmb.store.files import load_json, pretty_json
from dmb.store.layout import run_dir
from tests.merge.ground import LATE, Ground, admit, items_file, raw_of, receipt_of, rewrite

ALL = {(c, s) for c in ("random", "majority") for s in ("alpha", "order", "beta")}


def sources(*typed: str, allow_mix: bool = False) -> dict[tuple[str, str], str]:
    return {name: cell.run for name, cell in merge_runs(typed, allow_mix).cells.items()}


def refused(*typed: str, kind: type[DmbError] = UsageError) -> str:
    with pytest.raises(kind) as caught:
        merge_runs(typed, False)
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_later_runs_replace_earlier_cells_whole(ground: Ground):
    ground.run("a")
    ground.run("b", "random", "alpha order")
    assert sources("a", "b") == dict.fromkeys(ALL, "a") | {("random", "alpha"): "b", ("random", "order"): "b"}
    assert set(sources("b", "a").values()) == {"a"}
    notes = merge_runs(["a", "b"], False).notes
    assert [n.what for n in notes] == ["2 cells of `a` gave way to those of `b`."]
    # by path as by id
    assert sources("runs/a", str(Path("runs/b").resolve())) == sources("a", "b")


def test_a_later_cell_that_ran_out_of_time_replaces_an_earlier_success(ground: Ground):
    ground.run("a")
    ground.run("b", "random", "beta", clock=LATE)
    cell = merge_runs(["a", "b"], False).cells["random", "beta"]
    assert (cell.run, cell.receipt.status) == ("b", "dnf")
    (note,) = merge_runs(["a", "b"], False).notes
    assert note.what == "1 cell of `a` gave way to that of `b`: random x beta (dnf instead of complete)."
    assert note.runs == ("a", "b")


def test_other_items_are_refused_whatever_is_allowed(ground: Ground):
    ground.run("a")
    ground.edit("data/beta.jsonl", "paint number 0", "paint number zero")
    # even where the cells themselves would all come from one of the two
    ground.run("b")
    said = refused("a", "b")
    assert said.startswith("--runs: items of beta: ") and " in a, " in said and " in b" in said
    with pytest.raises(UsageError, match="items of beta"):
        merge_runs(["a", "b"], True)


@pytest.mark.parametrize(
    "file, old, new, what",
    [
        ("config.yaml", "releases:", "protocol: {version: 4}\nreleases:", "protocol version: 3 in a, 4 in b"),
        ("config.yaml", "releases:", "protocol: {repeats: 2}\nreleases:", "repeats of alpha: 1 in a, 2 in b"),
        ("config.yaml", "releases:", "protocol: {retry_failed: 0}\nreleases:", "retries of alpha: [1,1] in a, [0,1] in b"),
        ("data/suites/alpha.toml", "Which colour is meant?", "Which colour?", "question of alpha: "),
        ("data/contenders.toml", "seed = 20261130", "seed = 1", "entry of random: settings.seed 20261130 in a, settings.seed 1 in b"),
    ],
)  # fmt: skip
def test_protocols_must_agree_unless_a_mix_is_allowed(ground: Ground, file, old, new, what):
    ground.run("a", "random", "alpha")
    ground.edit(file, old, new)
    ground.run("b", "random", "alpha")
    said = refused("a", "b")
    assert what in said and "--allow-protocol-mix" in said
    notes = merge_runs(["a", "b"], True).notes
    assert f"Cells differ in {what}" in notes[0].what and notes[0].runs == ("a", "b")


def test_latency_scopes_and_the_definition_of_confidence_must_agree(ground: Ground):
    ground.run("a", "random", "alpha")
    ground.run("b", "random", "beta")
    path = run_dir("b") / "manifest.json"
    assert load_json(path)["latency_scopes"] == ["decision", "request"]
    whole = path.read_bytes()
    for field, value, what in (
        ("latency_scopes", ["request"], 'latency scopes: ["decision","request"] in a, ["request"] in b'),
        ("confidence_definition", "0" * 64, "000000000000 in b"),
    ):
        path.write_bytes(pretty_json(json.loads(whole) | {field: value}))
        assert what in refused("a", "b")


def test_a_subset_is_not_mixed_with_all_items(ground: Ground):
    ground.run("a", "random", "alpha")
    ground.run("b", "majority", "alpha", limit=3)
    assert "subset of alpha: all items in a, 3 items in b" in refused("a", "b")


def test_a_run_that_cannot_be_taken_is_one_line(ground: Ground):
    ground.run("a", "random", "alpha")
    assert "runs/nosuch is no run directory" in refused("nosuch")
    assert "does not lie in runs/" in refused("elsewhere/a")
    assert "a is named twice" in refused("a", "runs/a")
    assert "no run directory" in refused("_cells")
    Path("runs/foreign").mkdir()
    assert "it has no manifest.json" in refused("a", "foreign")
    Path("runs/foreign/manifest.json").write_text('{"status": "complete", "run": "foreign"}')
    Path("runs/foreign/plan.json").write_text('{"grid": []}')
    assert "its plan names no cells" in refused("a", "foreign")
    ground.run("open", "random", "beta", close=False)
    assert "run open is still at work" in refused("a", "open")


def test_an_open_run_whose_process_is_gone_is_named_as_such(ground: Ground):
    ground.run("a", "random", "alpha")
    path = run_dir("a") / "manifest.json"
    path.write_bytes(pretty_json(load_json(path) | {"status": "running"}))
    assert "its process is gone" in refused("a")


def test_damage_is_named(ground: Ground):
    ground.run("a", "random", "alpha")
    raw, receipt, run = raw_of("a", "random.alpha"), receipt_of("a", "random.alpha"), run_dir("a")
    faults = [
        (raw, "valid", "vaiid", "is not the log that"),
        (receipt, '"protocol": 3', '"protocol": 2', "parts is not what the run planned"),
        (run / "plan.json", '"number": 1', '"number": 2', None),
        (run / "prices.toml", "[[price]]", "# \n[[price]]", "sha256 differs from the manifest's"),
        (run / "manifest.json", '"alpha": "', '"alpha": "0', "its items of alpha are not those of the receipt"),
        (run / "manifest.json", '"run": "a"', '"run": "b"', "is of run 'b'"),
        (run / "manifest.json", "{", "", "holds no JSON"),
        (items_file("alpha", ground.opened("a")), '"group"', '"grOup"', "sha256 is"),
    ]
    for path, old, new, said in faults:
        whole = path.read_bytes()
        rewrite(path, old, new)
        if said is None:
            # another number is another receipt, and the run's index knows that there was one
            assert "the receipt is not here" in refused("a", kind=MissingEvidence)
        else:
            assert said in refused("a", kind=DamagedFile)
        path.write_bytes(whole)
    assert sources("a") == {("random", "alpha"): "a"}


def test_what_is_missing_is_named(ground: Ground):
    ground.run("a", "random", "alpha")
    for path in (
        receipt_of("a", "random.alpha"),
        run_dir("a") / "prices.toml",
        items_file("alpha", ground.opened("a")),
    ):
        aside = path.rename(path.with_name("aside"))
        assert str(path) in refused("a", kind=MissingEvidence)
        aside.rename(path)


ROWS = [
    ('"item":"alpha-0"', '"item":"alpha-9"', "line 1: item 'alpha-9' is not in the frozen suite"),
    ('"permutation":0', '"permutation":1', "line 1: item 'alpha-0' has no permutation 1"),
    ('"repeat":0', '"repeat":1', "line 1: repeat 1 of item 'alpha-0'"),
    ('"item":"alpha-1"', '"item":"alpha-0"', "line 2: attempt 1 of item 'alpha-0' stands twice"),
    ('"attempt":1', '"attempt":2', "attempts of item 'alpha-0' (permutation 0, repeat 0) are not all there"),
    ('"attempt":1', '"attempt":1000000000', "line 1: attempt 1000000000 is none"),
    ('"contender":"random"', '"contender":"keyword"', "line 1: is of another cell or asker"),
    ("{", "", "line 1: is no attempt"),
]  # fmt: skip


@pytest.mark.parametrize("old, new, said", ROWS)
def test_every_row_of_a_log_is_held_against_the_items(ground: Ground, old, new, said):
    ground.run("a", "random", "alpha")
    rewrite(raw_of("a", "random.alpha"), old, new)
    admit("a", "random.alpha")
    assert said in refused("a", kind=DamagedFile)


def test_a_simulated_row_needs_a_receipt_that_says_so(ground: Ground):
    ground.run("a", "random", "alpha")
    raw = raw_of("a", "random.alpha")
    rewrite(raw, '"simulated":false', '"simulated":true')
    admit("a", "random.alpha")
    assert "line 1: is simulated" in refused("a", kind=DamagedFile)
    rewrite(receipt_of("a", "random.alpha"), '"simulated": false', '"simulated": true')
    assert merge_runs(["a"], False).runs[0].simulated


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('"value":"', '"value":"purple', "is not among the options of item 'alpha-0'"),
        ('"position":', '"position":9', "is outside 0-2"),
        ('"item":"alpha-1"', '"item":"alpha-0"', "line 2: item 'alpha-0' is decided twice"),
        ('"item":"alpha-0"', '"item":"alpha-9"', "line 1: item 'alpha-9' is not in the frozen suite"),
        ('"decision":', '"another":', "slot 'another' is not one of the suite's"),
        ("}\n", "\n", "line 1: is no decision"),
    ],
)
def test_every_decision_is_held_against_the_items(ground: Ground, old, new, said):
    ground.run("a", "random", "alpha")
    rewrite(run_dir("a") / "decisions/random.alpha.jsonl", old, new)
    assert said in refused("a", kind=DamagedFile)


def test_a_decision_that_is_left_out_is_seen(ground: Ground):
    ground.run("a", "random", "alpha")
    path = run_dir("a") / "decisions/random.alpha.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    assert "has 5 decisions of 6" in refused("a", kind=DamagedFile)


def test_a_cell_that_was_cut_off_lets_no_earlier_one_stand_in(ground: Ground):
    ground.run("a")
    ground.run("b", "random", "alpha beta")
    # as a crash leaves it: no receipt, no index, some rows
    receipt_of("b", "random.alpha").unlink()
    (run_dir("b") / "cells.json").unlink()
    said = refused("a", "b")
    assert "run b began random x alpha and was cut off" in said
    # by itself, or before a run that ended it, it is told and no more
    assert sources("b") == {("random", "beta"): "b"}
    merged = merge_runs(["b", "a"], False)
    assert set(sources("b", "a").values()) == {"a"}
    assert any("`b` planned 1 more cell and has no receipt of it: random x alpha." in n.what for n in merged.notes)
    # never begun: the earlier cell is what there is
    shutil.move(raw_of("b", "random.alpha"), "aside")
    assert sources("a", "b")["random", "alpha"] == "a"
