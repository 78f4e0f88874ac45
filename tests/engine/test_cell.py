"""A whole cell in a scratch folder: asked, resumed, stopped, refused; and a receipt for every ending but a crash."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from dmb.canonical import sha256_hex
from dmb.contracts.attempt import OUTCOMES
from dmb.engine.decide import by_item
from dmb.errors import CellBusy, DamagedFile, DmbError, MissingEvidence
from dmb.ledger.shelf import read_totals
from dmb.planning.project import load_project
from dmb.store.attempts import read_attempts
from dmb.store.claims import declare_dead
from dmb.store.heartbeat import HEART
from dmb.store.layout import budget_dir, decisions_file, raw_log, run_dir, taken_over_file
from dmb.store.locks import OWNER, CellLock
from dmb.store.runs import end_run, mark, run_status, set_manifest, stops_dir
from tests.conftest import PROJECT
from tests.engine.made_up import BUILT, SERVED, Server, ask, begin, first_option, planned, receipt_of, unchanged

N = len(BUILT.items)
KEY_VARIABLE = "DMB_TEST_KEY"
SECRET = "not-a-real-key-0123456789"


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(run: str, cell) -> list:
    return list(read_attempts(raw_log(run, cell[1]["contender"], "s")))


def decisions(run: str, cell) -> list[dict]:
    text = decisions_file(run, cell[1]["contender"], "s").read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


def again(cell, number: int = 2):
    """The same cell, planned once more."""
    return cell[0], cell[1] | {"number": number}


def tear(run: str, cell, keep: int) -> None:
    """What a SIGKILL in the middle of a write leaves: ``keep`` whole rows and half of one, and no receipt."""
    path = raw_log(run, cell[1]["contender"], "s")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:keep]) + lines[keep][:60])
    decisions_file(run, cell[1]["contender"], "s").unlink()
    receipt_of(cell).unlink()


def served(server: Server, **provider) -> tuple[str, dict]:
    return planned("m", SERVED, {"address": server.address, "billed": False, **provider})


# -- complete


def test_a_cell_is_asked_to_its_end():
    cell = planned()
    run = begin(cell)
    receipt = ask(run, cell)
    assert (receipt.status, receipt.stop_reason, receipt.run, receipt.number) == ("complete", None, run, 1)
    assert (receipt.n_expected, receipt.n_asked, receipt.n_imported, receipt.n_attempts) == (N, N, 0, N)
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"valid": N}
    assert receipt.parts == cell[1]["parts"] and receipt.items == cell[1]["items"]["sha256"]
    assert [(r.item, r.attempt, r.origin, r.asker) for r in rows(run, cell)] == [
        (i.id, 1, None, "baseline:random") for i in BUILT.items
    ]
    made = decisions(run, cell)
    assert [d["item"] for d in made] == [i.id for i in BUILT.items]
    for item, d in zip(BUILT.items, made, strict=True):
        out = d["outputs"]["decision"]
        assert out["value"] == ("refund", "bug", "other")[item.order[out["position"]]]
    assert end_run(run) == "complete"


def test_the_receipt_names_the_log_by_its_digest():
    cell = planned()
    receipt = ask(begin(cell), cell)
    assert sha256_hex(Path(receipt.raw).read_bytes()) == receipt.raw_sha256


def test_a_receipt_that_an_orphan_finished_meanwhile_stands():
    cell = planned()
    ask(begin(cell), cell)
    second = begin(cell)
    before = receipt_of(cell).read_bytes()
    assert ask(second, cell).run == "v9-1"
    assert receipt_of(cell).read_bytes() == before
    assert not raw_log(second, "random", "s").exists()


def test_a_subset_is_what_the_plan_says():
    cell = planned(limit=4, n_expected=4)
    receipt = ask(begin(cell), cell)
    assert receipt.n_expected == receipt.n_asked == sum(receipt.outcomes.values()) == 4


# -- resumed


def test_a_new_run_imports_what_is_whole_and_asks_the_rest_and_touches_nothing_of_the_old_one():
    cell = planned()
    first = begin(cell)
    ask(first, cell)
    wanted = [d["outputs"] for d in decisions(first, cell)]
    tear(first, cell, keep=3)
    end_run(first)
    with unchanged(run_dir(first)):
        second = begin(cell)
        receipt = ask(second, cell)
    assert (receipt.status, receipt.n_imported, receipt.n_asked, receipt.n_attempts) == ("complete", 3, 3, N)
    found = rows(second, cell)
    assert [(r.item, r.origin) for r in found] == [
        *((i.id, None) for i in BUILT.items[3:]),
        *((i.id, first) for i in BUILT.items[:3]),
    ]
    assert [d["outputs"] for d in decisions(second, cell)] == wanted
    end_run(second)
    assert json.loads((run_dir(second) / "manifest.json").read_text())["parents"] == [first]


def test_a_third_run_keeps_the_names_of_those_that_asked():
    cell = planned()
    for run, keep in (("v9-1", 2), ("v9-2", 5)):
        assert begin(cell) == run
        ask(run, cell)
        tear(run, cell, keep)
        end_run(run)
    # the second was torn while it took over what the first had asked
    assert [r.origin for r in rows("v9-2", cell)] == [None] * 4 + ["v9-1"]
    shutil.rmtree(run_dir("v9-1") / "raw")
    third = begin(cell)
    assert ask(third, cell).n_imported == 5
    assert Counter(r.origin for r in rows(third, cell)) == {"v9-1": 1, "v9-2": 4, None: 1}


def test_runs_that_are_killed_one_after_the_other_hold_no_copies_of_each_others_rows():
    def answer(number, body):
        mark(f"v9-{number}", "run", "swept")
        return first_option(number, body)

    with Server(answer) as server:
        cell = served(server, concurrency=1)
        for number in range(1, N):
            run = begin(cell)
            with pytest.raises(DmbError, match="was stopped"):
                ask(run, cell)
            end_run(run)
            assert [r.origin for r in rows(run, cell)] == [None]
            # what it began with is noted for whoever watches it
            noted = json.loads(taken_over_file(run, "m", "s").read_bytes()) if number > 1 else {"outcomes": {}}
            assert sum(noted["outcomes"].values()) == number - 1
        server.answer = first_option
        receipt = ask(begin(cell), cell)
    assert (receipt.n_imported, receipt.n_asked, receipt.n_attempts, len(server.sent)) == (N - 1, 1, N, N)
    assert [r.origin for r in rows(f"v9-{N}", cell)] == [None, *(f"v9-{n}" for n in range(1, N))]


def test_a_job_that_is_started_again_in_its_run_goes_on_in_the_same_log():
    cell = planned()
    run = begin(cell)
    ask(run, cell)
    tear(run, cell, keep=3)
    log = raw_log(run, "random", "s")
    before = log.read_bytes()
    receipt = ask(run, cell)
    assert (receipt.status, receipt.n_asked, receipt.n_imported, receipt.n_attempts) == ("complete", N, 0, N)
    assert log.read_bytes().startswith(before[: before.rindex(b"\n") + 1])
    assert log.with_name(f"{log.name}.torn").exists()
    assert all(len(attempts) == 1 for attempts in by_item(rows(run, cell)).values())
    assert len(rows(run, cell)) == N


def test_a_job_that_is_started_again_does_not_import_twice():
    cell = planned()
    first = begin(cell)
    ask(first, cell)
    tear(first, cell, keep=3)
    end_run(first)
    second = begin(cell)
    ask(second, cell)
    tear(second, cell, keep=5)
    receipt = ask(second, cell)
    assert (receipt.n_imported, receipt.n_asked) == (3, 3)
    assert [r.origin for r in rows(second, cell)] == [None] * 3 + [first] * 3


def test_rows_of_another_key_are_not_taken_over():
    cell = planned()
    first = begin(cell)
    ask(first, cell)
    other = planned(limit=5, n_expected=5)
    assert other[0] != cell[0]
    assert ask(begin(other), other).n_imported == 0


def test_a_lost_receipt_costs_nothing_while_the_rows_are_there():
    cell = planned()
    ask(begin(cell), cell)
    receipt_of(cell).unlink()
    receipt = ask(begin(cell), cell)
    assert (receipt.n_asked, receipt.n_imported) == (0, N)


# -- stopped


def test_a_run_that_was_stopped_ends_without_a_receipt():
    cell = planned()
    run = begin(cell)
    mark(run, "run", "its owner is gone")
    with pytest.raises(DmbError, match="has ended"):
        ask(run, cell)
    assert not receipt_of(cell).exists() and not raw_log(run, "random", "s").exists()
    assert "has ended" in (stops_dir(run) / f"failed.{cell[0][:16]}").read_text()


def test_a_stop_mark_is_seen_before_the_next_attempt():
    def answer(number, body):
        if number == 2:
            mark("v9-1", "run", "swept")
        return first_option(number, body)

    with Server(answer) as server:
        cell = served(server, concurrency=1)
        with pytest.raises(DmbError, match="was stopped"):
            ask(begin(cell), cell)
        assert len(server.sent) == len(rows("v9-1", cell)) == 2
        # what was paid for counts in the next run
        end_run("v9-1")
        receipt = ask(begin(cell), cell)
        assert (receipt.n_imported, receipt.n_asked, len(server.sent)) == (2, N - 2, N)


def test_a_job_that_lives_when_its_run_is_closed_ends_after_the_request_in_flight():
    ended = []

    def answer(number, body):
        if number == 2:
            # a cluster has called the job failed; whoever closes the run waits until it has ended
            closing.append(threading.Thread(target=lambda: ended.append(end_run("v9-1"))))
            closing[0].start()
            while not (stops_dir("v9-1") / "run").exists():
                time.sleep(0.001)
            assert run_status("v9-1") == "running"
        return first_option(number, body)

    closing: list[threading.Thread] = []
    with Server(answer) as server:
        cell = served(server, concurrency=1)
        with pytest.raises(DmbError, match="was stopped"):
            ask(begin(cell), cell)
        closing[0].join()
        assert len(server.sent) == len(rows("v9-1", cell)) == 2 and not receipt_of(cell).exists()
    assert ended == ["failed"] or ended == ["interrupted"]
    assert run_status("v9-1") == ended[0]


def test_whoever_is_stopped_during_the_last_request_writes_no_receipt_either():
    def answer(number, body):
        if number == N:
            mark("v9-1", "run", "the run is closed")
        return first_option(number, body)

    with Server(answer) as server:
        cell = served(server, concurrency=1)
        with pytest.raises(DmbError, match="was stopped"):
            ask(begin(cell), cell)
        assert len(server.sent) == len(rows("v9-1", cell)) == N and not receipt_of(cell).exists()
        end_run("v9-1")
        receipt = ask(begin(cell), cell)
        assert (receipt.n_imported, receipt.n_asked, len(server.sent)) == (N, 0, N)


def test_whoever_was_declared_dead_and_lives_asks_nothing_more_and_writes_no_receipt(monkeypatch):
    monkeypatch.setattr(HEART, "_beat_s", 0.005)

    def answer(number, body):
        if number == 2:
            folder = receipt_of(cell).parent
            declare_dead(folder, OWNER, 1, {})
            # until its heart has beaten once more
            claim = HEART._claims[-1]
            while not claim.lost:
                time.sleep(0.001)
        return first_option(number, body)

    with Server(answer) as server:
        cell = served(server, concurrency=1)
        with pytest.raises(DmbError, match="was stopped"):
            ask(begin(cell), cell)
        assert len(server.sent) == 2 and not receipt_of(cell).exists()


def test_the_wall_deadline_ends_a_cell_as_dnf():
    cell = planned(protocol={"cell_deadline_s": -1})
    receipt = ask(begin(cell), cell)
    assert (receipt.status, receipt.stop_reason, receipt.n_asked) == ("dnf", "deadline", 0)
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"skipped": N}


def test_a_refused_key_stops_the_provider_and_skips_its_later_cells(monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, SECRET)
    wrong = json.dumps({"detail": {"error_type": "authentication_error", "message": "wrong"}}).encode()
    with Server(lambda *_: (401, {}, wrong)) as server:
        first = served(server, credential=[KEY_VARIABLE])
        second = planned("n", SERVED, first[1]["provider"])
        other = planned()
        run = begin(first, second, other)
        receipt = ask(run, first)
        assert (receipt.status, receipt.stop_reason) == ("stopped", "authentication")
        assert 1 <= len(server.sent) <= 4
        assert {h["authorization"] for _, h, _ in server.sent} == {f"Bearer {SECRET}"}
        refused = len(server.sent)
        assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"failed": refused, "skipped": N - refused}
        assert {p.name for p in stops_dir(run).iterdir()} == {"provider.lab"}

        skipped = ask(run, second)
        assert (skipped.status, skipped.stop_reason) == ("skipped", "lane stopped: authentication")
        assert skipped.outcomes == dict.fromkeys(OUTCOMES, 0) | {"skipped": N}
        assert (skipped.raw, skipped.n_attempts, len(server.sent)) == (None, 0, refused)
        # another provider is not concerned
        assert ask(run, other).status == "complete"
        assert end_run(run) == "stopped"

        # the key is mended: the refused items are asked again, and nobody pays for the refusals
        server.answer = first_option
        retried = again(first)
        receipt = ask(begin(retried), retried)
        assert (receipt.status, receipt.n_asked, receipt.outcomes["valid"]) == ("complete", N, N)
        assert all(r.cause == "first" for r in rows("v9-2", retried))
    for path in Path("runs").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


# -- refused before anything is asked


def damage(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


@pytest.mark.parametrize(
    "what, old, new, error",
    [
        ("items", b'"i1"', b'"i9"', DamagedFile),
        ("texts", b"broken", b"brokem", DamagedFile),
        ("texts", b'"text"', b'"test"', DamagedFile),
        ("texts", b"}\n", b"\n", DamagedFile),
    ],
)
def test_damaged_items_and_texts_refuse_before_asking(what, old, new, error):
    cell = planned()
    run = begin(cell)
    path = Path(cell[1]["items"]["path"] if what == "items" else cell[1]["texts"])
    damage(path, old, new)
    with pytest.raises(error, match=rf"{path.name}.*delete"):
        ask(run, cell)
    assert not raw_log(run, "random", "s").exists() and not receipt_of(cell).exists()
    assert path.name in (stops_dir(run) / f"failed.{cell[0][:16]}").read_text()
    assert end_run(run) == "failed"


def test_texts_that_are_not_all_there_refuse_before_asking():
    cell = planned()
    path = Path(cell[1]["texts"])
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(DamagedFile, match="is not in it"):
        ask(begin(cell), cell)


@pytest.mark.parametrize("what", ["items", "texts"])
def test_missing_items_or_texts(what):
    cell = planned()
    Path(cell[1]["items"]["path"] if what == "items" else cell[1]["texts"]).unlink()
    with pytest.raises(MissingEvidence, match="start again"):
        ask(begin(cell), cell)


@pytest.mark.parametrize("status", ["interrupted", "complete"])
def test_nothing_is_asked_under_a_run_that_has_ended(status):
    cell = planned()
    run = begin(cell)
    set_manifest(run, status=status)
    with pytest.raises(DmbError, match=f"run {run} has ended"):
        ask(run, cell)
    assert not receipt_of(cell).exists()


def test_a_cell_that_was_not_planned():
    run = begin(planned())
    with pytest.raises(MissingEvidence, match="did not plan"):
        ask(run, ("f" * 64, planned()[1]))


def test_a_cell_that_somebody_else_pays_for():
    cell = planned()
    run = begin(cell)
    with CellLock(receipt_of(cell).parent, "v8-1"), pytest.raises(CellBusy, match=r"run v8-1"):
        ask(run, cell)
    assert not raw_log(run, "random", "s").exists()


def test_a_credential_that_is_gone_since_the_plan_makes_no_receipt():
    with Server(first_option) as server:
        cell = served(server, credential=["DMB_TEST_KEY_A", "DMB_TEST_KEY_B"])
        with pytest.raises(DmbError, match="DMB_TEST_KEY_A or DMB_TEST_KEY_B was set where run v9-1 was planned"):
            ask(begin(cell), cell)
        assert not server.sent and not receipt_of(cell).exists()


def test_a_planned_skip_has_a_receipt_and_asks_nothing():
    with Server(first_option) as server:
        cell = planned("m", SERVED, {"address": server.address}, skip="no-credential")
        receipt = ask(begin(cell), cell)
        assert not server.sent
    assert (receipt.status, receipt.stop_reason, receipt.raw) == ("skipped", "no-credential", None)
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"skipped": N}
    assert end_run("v9-1") == run_status("v9-1") == "complete"


# -- over HTTP


def test_a_served_cell_keeps_at_most_its_concurrency_in_flight():
    two = threading.Barrier(2, timeout=10)

    def answer(number, body):
        two.wait()  # at least two are in flight together
        return first_option(number, body)

    with Server(answer) as server:
        cell = served(server, concurrency=2)
        receipt = ask(begin(cell), cell)
        assert server.most_at_once == 2 and len(server.sent) == N
        assert {path for path, _, _ in server.sent} == {"/v1/systemone"}
    assert receipt.outcomes["valid"] == N
    made = decisions("v9-1", cell)
    assert [d["item"] for d in made] == [i.id for i in BUILT.items]
    assert {d["outputs"]["decision"]["position"] for d in made} == {0}
    assert {d["outputs"]["decision"]["confidence_kind"] for d in made} == {"native-probability"}
    assert {d["served_model"] for d in made} == {"m-1-dated"}
    assert all(r.body and r.reply and r.status == 200 and r.timing.request_ms > 0 for r in rows("v9-1", cell))


def test_a_failure_and_a_malformed_reply_are_each_asked_again_once():
    def answer(number, body):
        if body["state"] == "Hello":
            return (503, {"retry-after": "0"}, b"") if not seen.append(1) and len(seen) == 1 else (200, {}, b"\xff")
        return first_option(number, body)

    seen: list[int] = []
    with Server(answer) as server:
        cell = served(server, concurrency=1)
        receipt = ask(begin(cell), cell)
    assert (receipt.n_attempts, receipt.n_asked) == (N + 2, N)
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"valid": N - 1, "malformed": 1}
    hello = [r for r in rows("v9-1", cell) if r.item == "i2"]
    assert [(r.attempt, r.cause, r.outcome) for r in hello] == [
        (1, "first", "failed"),
        (2, "failed", "malformed"),
        (3, "malformed", "malformed"),
    ]


@pytest.mark.skipif(shutil.which("sparrow-decider") is None, reason="sparrow-decider is not installed")
def test_a_real_decision_model_served_for_the_length_of_a_cell():
    project = load_project(PROJECT)
    entry, provider = project.contenders["sparrow-nano"], project.providers["sparrow"]
    cell = planned(
        "sparrow-nano",
        entry.model_dump(mode="json", exclude_defaults=True),
        provider.model_dump(mode="json", exclude_defaults=True),
        limit=5,
        n_expected=5,
    )
    receipt = ask(begin(cell), cell)
    assert (receipt.status, receipt.n_attempts, receipt.outcomes["valid"]) == ("complete", 5, 5)
    assert {d["served_model"] for d in decisions("v9-1", cell)} == {entry.model}
    assert all(0 < d["outputs"]["decision"]["confidence"] <= 1 for d in decisions("v9-1", cell))
    assert (run_dir("v9-1") / "serve/sparrow-nano.s.log").exists()


def test_each_release_of_a_run_has_its_own_ledger():
    price = {"provider": "lab", "model": "m-1", "input": "1", "output": "0", "source": "s", "checked_on": "2026-11-30"}
    with Server(first_option) as server:
        cells = [
            planned(name, SERVED, {"address": server.address}, prices=[price], release=release)
            for name, release in (("m", "v9"), ("n", "other"))
        ]
        run = begin(*cells)
        for cell in cells:
            assert ask(run, cell).status == "complete"
    for release in ("v9", "other"):
        totals = read_totals(budget_dir(release))
        # ten tokens a question, a dollar a million
        assert (totals.n_settled, totals.scored_usd * 1_000_000) == (N, 10 * N)
