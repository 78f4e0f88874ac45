"""Starts that must cost nothing, and what they say: lost indexes, forcing, skipped contenders, shared cells."""

from __future__ import annotations

import json
import os
import platform
import shutil

from tests.dag.changes import tree
from tests.dag.tiny import Tiny


def test_bare_snakemake_builds_what_stands_under_all(tiny: Tiny) -> None:
    (tiny.root / "results/tiny.md").unlink()
    jobs = tiny.snakemake("-n")
    assert (jobs.asked, jobs.rules["score"], jobs.rules["publish"]) == (frozenset(), 0, 1)


def test_a_lost_index_costs_nothing(tiny: Tiny) -> None:
    tiny.build("results/other.md")
    shutil.rmtree(tiny.root / "runs/_cells")
    # the report stands, so nothing is done; audit and dry run agree
    assert "Nothing to be done" in tiny.dry("results/other.md").output
    assert json.loads(tiny.dmb("audit", "other", "--json").stdout)["ask"] == []
    (tiny.root / "results/other.md").unlink()
    audit = json.loads(tiny.dmb("audit", "other", "--json").stdout)
    assert {c["calls"] for c in audit["ask"]} == {0}
    tiny.build("results/other.md")
    receipts = [json.loads(p.read_text()) for p in (tiny.root / "runs/_cells").rglob("receipt.1.json")]
    assert {(r["contender"], r["suite"]) for r in receipts} == {("random", "beta"), ("keyword", "beta")}
    assert all(r["n_asked"] == 0 and r["n_imported"] == r["n_expected"] for r in receipts)


def test_a_skipped_contender_is_asked_when_its_cause_is_gone(tiny: Tiny) -> None:
    target = "results/other.md"
    tiny.edit("config.yaml", "contenders: [random, keyword]\n", "contenders: [random, jev]\n")
    tiny.build(target)
    assert "Nothing to be done" in tiny.build(target).output
    key = {"TYPESAFE_API_KEY": "no-key"}
    tiny.edit("data/prices.toml", 'model = "jev-1.14.0"', 'model = "jev-0.0.0"')
    # with a key the reason is another one, and the receipt says so; then there is peace again
    assert tiny.snakemake(target, env=key).asked == {"jev.beta"}
    receipts = [json.loads(p.read_text()) for p in (tiny.root / "runs/_cells").rglob("receipt.2.json")]
    assert [(r["contender"], r["status"], r["stop_reason"]) for r in receipts] == [("jev", "skipped", "no-price")]
    assert "Nothing to be done" in tiny.snakemake(target, env=key).output


def _lose_receipt_and_report(t: Tiny, cell: str) -> None:
    for path in (t.root / f"runs/_cells/{cell}").rglob("*.json"):
        path.unlink()
    (t.root / "results/tiny.md").unlink()


def test_rows_of_a_damaged_log_are_never_taken_over(tiny: Tiny) -> None:
    raw = tiny.root / "runs/tiny-1/raw/random.beta.attempts.jsonl"
    sound = raw.read_bytes()
    _lose_receipt_and_report(tiny, "random.beta")
    # one digit of one reply, still JSON; then a byte that makes it none
    for damage in (sound.replace(b'"choice_index\\":0', b'"choice_index\\":1', 1), b"}" + sound[1:]):
        if damage == sound:
            damage = sound.replace(b"choice_index", b"choice_indeX", 1)
        raw.write_bytes(damage)
        for _ in range(2):
            done = tiny.snakemake("results/tiny.md", check=False)
            assert done.code == 3
            assert "Traceback" not in done.output
            assert "random.beta.attempts.jsonl: its bytes are not those that run tiny-1 recorded" in done.output
        # no start has left a run behind
        assert not (tiny.root / "runs/tiny-2").exists()
    raw.unlink()
    tiny.build()
    receipt = json.loads(next((tiny.root / "runs/_cells/random.beta").rglob("receipt.*.json")).read_text())
    assert (receipt["n_imported"], receipt["n_asked"]) == (0, 6)


def test_damaged_texts_are_rebuilt(tiny: Tiny) -> None:
    _lose_receipt_and_report(tiny, "random.beta")
    shutil.rmtree(tiny.root / "runs/tiny-1/raw")
    texts = next((tiny.root / "data/items").glob("beta.*.texts.jsonl"))
    sound = texts.read_bytes()
    texts.write_bytes(sound.replace(b"paint", b"Paint", 1))
    assert "it is rebuilt" in tiny.build().output
    assert texts.read_bytes() == sound


def test_a_damaged_manifest_is_named_by_what_needs_it_and_blocks_nothing_else(tiny: Tiny) -> None:
    manifest = tiny.root / "runs/tiny-1/manifest.json"
    manifest.write_text('{"run": "ti')
    tiny.dry("results/other.md")
    done = tiny.snakemake("results/other.md", check=False)
    assert done.code == 1 and "runs/tiny-1/manifest.json: is damaged" in done.output
    # the rows are evidence all the same; only the facts about the run are lost
    manifest.unlink()
    tiny.build("results/other.md")


def test_forcing_never_asks_an_answered_cell(tiny: Tiny) -> None:
    before = tree(tiny, "runs")
    done = tiny.snakemake("results/tiny.md", "-R", "ask", check=False)
    assert done.code == 3 and "forcing does not ask it again" in done.output
    done = tiny.snakemake("results/tiny.md", "-F", check=False)
    assert done.code == 3 and "forcing does not ask it again" in done.output
    tiny.snakemake("results/tiny.md", "--touch")
    assert tree(tiny, "runs") == before


def test_cells_are_shared_between_releases(tiny: Tiny) -> None:
    jobs = tiny.build("results/other.md")
    assert (jobs.asked, jobs.rules["score"], jobs.rules["publish"]) == (frozenset(), 0, 1)


def test_the_manifest_says_what_the_run_was(built: Tiny) -> None:
    manifest = json.loads((built.root / "runs/tiny-1/manifest.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["expected"]["random.order"] == 8
    # majority is not in this release, so no prior was used
    assert manifest["priors"] == []
    assert manifest["spend_usd"] == {"scored": "0", "negotiation": "0", "unsettled": "0"}
    assert manifest["settings"]["random"]["temperature"] == "not-applicable"
    assert manifest["machine"] == {"cpu_count": os.cpu_count(), "platform": platform.platform()}
    # it was published while the run was open, and says what the manifest said later
    cells = json.loads((built.root / "results/tiny.cells.json").read_text())
    assert cells["runs"] == [
        {
            "run": "tiny-1",
            "started_at": manifest["started_at"],
            "machine": manifest["machine"],
            "budget_usd": {"soft": "40", "hard": "60"},
            "spend_usd": manifest["spend_usd"],
        }
    ]
    index = json.loads((built.root / "runs/tiny-1/cells.json").read_text())
    assert len(index) == 9 and {c["status"] for c in index} == {"complete"}
    assert all((built.root / c["receipt"]).exists() for c in index)


def test_a_reference_answered_afresh_scores_what_is_compared_with_it(tiny: Tiny) -> None:
    receipt = next((tiny.root / "runs/_cells/random.alpha").rglob("receipt.1.json"))
    stopped = json.loads(receipt.read_text()) | {"status": "stopped", "stop_reason": "budget"}
    receipt.write_text(json.dumps(stopped))
    jobs = tiny.build("results/tiny.md", "--config", "retry=true")
    assert jobs.asked == {"random.alpha"}
    assert jobs.scored == {"random.alpha", "random.order"}
    assert json.loads(receipt.with_name("receipt.2.json").read_text())["n_asked"] == 0


def test_the_version_of_a_wire_asks_its_cells_alone(tiny: Tiny) -> None:
    target = "results/other.md"
    tiny.edit("config.yaml", "contenders: [random, keyword]\n", "contenders: [random, jev]\n")
    tiny.build(target)
    tiny.edit("dmb/wires/systemone.py", "version=1", "version=2")
    jobs = tiny.dry(target)
    assert jobs.asked == jobs.scored == {"jev.beta"}
