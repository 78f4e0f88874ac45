"""The table of what must rerun: each change is made in a copy, and the jobs of the dry run and of the real run compared."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.dag.tiny import Tiny

CONTENDERS = ("random", "keyword", "tfidf-logreg")
SUITES = ("alpha", "order", "beta")
ALL = frozenset(f"{c}.{s}" for c in CONTENDERS for s in SUITES)


def cells(contenders=CONTENDERS, suites=SUITES) -> frozenset[str]:
    return frozenset(f"{c}.{s}" for c in contenders for s in suites)


@dataclass(frozen=True)
class Change:
    """A change and what it must bring about."""

    make: Callable[[Tiny], None]
    asks: frozenset[str] = frozenset()
    scores: frozenset[str] = frozenset()
    publishes: bool = True


def touch_everything(t: Tiny) -> None:
    for path in t.root.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)


def comments(t: Tiny) -> None:
    for file in ("data/contenders.toml", "data/prices.toml", "data/suites/alpha.toml", "config.yaml"):
        path = t.root / file
        path.write_text("# a remark\n" + path.read_text())
    path = t.root / "dmb/engine/cell.py"
    path.write_text(path.read_text() + "\n# a remark\n")


def adverse_mtimes(t: Tiny) -> None:
    # every output older than every input, and no memory of either
    lose_metadata(t)
    for path in t.root.rglob("*"):
        if path.is_file():
            old = path.is_relative_to(t.root / "runs") or path.is_relative_to(t.root / "results")
            os.utime(path, (1_000_000_000, 1_000_000_000) if old else None)


def lose_metadata(t: Tiny) -> None:
    shutil.rmtree(t.root / ".snakemake")


def code(file: str, line: str) -> Callable[[Tiny], None]:
    def change(t: Tiny) -> None:
        path = t.root / file
        path.write_text(path.read_text() + f"\n\n{line}\n")

    return change


def first_starter_word(t: Tiny) -> None:
    t.edit("data/alpha.jsonl", "paint number 0", "lacquer number 0")


def nothing_that_matters(t: Tiny) -> None:
    """Each of these must do nothing; together they are one start of the workflow."""
    comments(t)
    t.edit("rules/cells.smk", " -m dmb ask", "  -m  dmb  ask")
    code("dmb/suites/jsonl.py", "EXTRA = 1")(t)  # a builder edit that yields the same items
    touch_everything(t)


TABLE: dict[str, Change] = {
    "touches, comments, shell text, a builder edit that yields the same items": Change(
        nothing_that_matters, publishes=False
    ),
    "metadata lost": Change(lose_metadata, publishes=False),
    "metadata lost, adverse mtimes": Change(adverse_mtimes, publishes=False),
    "price row of one model": Change(
        lambda t: t.edit(
            "data/prices.toml", 'model = "keyword"\nunbilled = true', 'model = "keyword"\ninput = "0.1"\noutput = "0"'
        ),
        scores=cells(["keyword"]),
    ),
    "future price row of one model": Change(
        lambda t: t.edit(
            "data/prices.toml",
            '[[price]]\nprovider = "in-process"\nmodel = "keyword"\nunbilled = true',
            '[[price]]\nprovider = "in-process"\nmodel = "keyword"\nvalid_from = 2030-01-01\ninput = "1"\noutput = "1"\n'
            'source = "announced"\nchecked_on = 2026-11-30\n\n'
            '[[price]]\nprovider = "in-process"\nmodel = "keyword"\nvalid_to = 2029-12-31\nunbilled = true',
        ),
        scores=cells(["keyword"]),
    ),
    "display field": Change(lambda t: t.edit("data/contenders.toml", 'label = "Keyword"', 'label = "Key words"')),
    "renderer code": Change(code("dmb/publish/markdown.py", "EXTRA = 1")),
    "setting of one contender": Change(
        lambda t: t.edit("data/contenders.toml", "settings = { C = 10.0 }", "settings = { C = 5.0 }"),
        asks=cells(["tfidf-logreg"]),
        scores=cells(["tfidf-logreg"]),
    ),
    "version of a baseline": Change(
        lambda t: t.edit("dmb/baselines/keyword.py", "version=1", "version=2"),
        asks=cells(["keyword"]),
        scores=cells(["keyword"]),
    ),
    "train split": Change(
        lambda t: t.edit("data/beta.train.jsonl", "brush number 0", "broom number 0"),
        asks=cells(["tfidf-logreg"], ["beta"]),
        scores=cells(["tfidf-logreg"], ["beta"]),
    ),
    "items of a suite that another is built from": Change(
        first_starter_word, asks=cells(suites=["alpha", "order"]), scores=cells(suites=["alpha", "order"])
    ),
    "question of a suite that another borrows": Change(
        lambda t: t.edit("data/suites/alpha.toml", "Which colour", "What colour"),
        asks=cells(suites=["alpha", "order"]),
        scores=cells(suites=["alpha", "order"]),
    ),
    "scoring code": Change(code("dmb/scoring/measures.py", "EXTRA = 1"), scores=ALL),
    "scoring policy of one suite": Change(
        lambda t: t.edit("data/suites/beta.toml", "publish_text = true", "publish_text = true\nscorer_version = 2"),
        scores=cells(suites=["beta"]),
    ),
    "protocol version": Change(
        lambda t: (t.root / "config.yaml").open("a").write("protocol: {version: 4}\n") and None, asks=ALL, scores=ALL
    ),
    "contender removed": Change(
        lambda t: t.edit(
            "config.yaml", "contenders: [random, keyword, tfidf-logreg]", "contenders: [random, tfidf-logreg]"
        )
    ),
    "contender added": Change(
        lambda t: t.edit(
            "config.yaml",
            "contenders: [random, keyword, tfidf-logreg]",
            "contenders: [random, keyword, tfidf-logreg, majority]",
        ),
        asks=cells(["majority"]),
        scores=cells(["majority"]),
    ),
    "nonce": Change(
        lambda t: t.edit("config.yaml", "    title: A tiny release", "    nonce: again\n    title: A tiny release"),
        asks=ALL,
        scores=ALL,
    ),
}
#: Really run by default too; the others are under `-m long`.
REALLY_RUN = (
    "metadata lost, adverse mtimes",
    "price row of one model",
    "question of a suite that another borrows",
    "display field",
)


@pytest.mark.parametrize("name", TABLE)
def test_dry_run_plans_exactly_what_depends_on_the_change(tiny: Tiny, name: str) -> None:
    change = TABLE[name]
    change.make(tiny)
    jobs = tiny.dry()
    _compare(jobs, change)
    audit = json.loads(tiny.dmb("audit", "tiny", "--json").stdout)
    assert {f"{c['contender']}.{c['suite']}" for c in audit["ask"]} == change.asks
    assert {f"{c['contender']}.{c['suite']}" for c in audit["score"]} == change.scores
    assert audit["publish"] is change.publishes


@pytest.mark.parametrize("name", [n if n in REALLY_RUN else pytest.param(n, marks=pytest.mark.long) for n in TABLE])
def test_real_run_does_it_once(tiny: Tiny, name: str) -> None:
    change = TABLE[name]
    change.make(tiny)
    runs_before = _tree(tiny, "runs/tiny-1")
    _compare(tiny.build(), change)
    assert (tiny.root / "runs/tiny-2").exists() == bool(change.asks)
    assert _tree(tiny, "runs/tiny-1") == runs_before, "an earlier run was changed"
    assert "Nothing to be done" in tiny.build().output


def _reseed_keyword(t: Tiny, seed: int) -> None:
    t.edit(
        "data/contenders.toml",
        'model = "keyword"\nsettings = { seed = 20261130 }',
        f'model = "keyword"\nsettings = {{ seed = {seed} }}',
    )


def test_change_taken_back_asks_and_scores_nothing(tiny: Tiny) -> None:
    before = (tiny.root / "data/contenders.toml").read_text()
    published = (tiny.root / "results/tiny.md").read_bytes()
    _reseed_keyword(tiny, 5)
    tiny.build()
    (tiny.root / "data/contenders.toml").write_text(before)
    _compare(tiny.dry(), Change(lambda t: None))
    _compare(tiny.build(), Change(lambda t: None))
    assert (tiny.root / "results/tiny.md").read_bytes() == published
    # changed, looked at, taken back: nothing at all
    _reseed_keyword(tiny, 7)
    tiny.dry()
    (tiny.root / "data/contenders.toml").write_text(before)
    assert "Nothing to be done" in tiny.build().output


def test_bare_snakemake_builds_what_stands_under_all(tiny: Tiny) -> None:
    (tiny.root / "results/tiny.md").unlink()
    jobs = tiny.snakemake("-n")
    assert (jobs.asked, jobs.rules["score"], jobs.rules["publish"]) == (frozenset(), 0, 1)


def test_a_lost_index_costs_nothing(tiny: Tiny) -> None:
    shutil.rmtree(tiny.root / "runs/_cells")
    # the report stands, so nothing is done; audit and dry run agree
    assert "Nothing to be done" in tiny.dry().output
    assert json.loads(tiny.dmb("audit", "tiny", "--json").stdout)["ask"] == []
    (tiny.root / "results/tiny.md").unlink()
    audit = json.loads(tiny.dmb("audit", "tiny", "--json").stdout)
    assert {c["calls"] for c in audit["ask"]} == {0}
    tiny.build()
    receipts = [json.loads(p.read_text()) for p in (tiny.root / "runs/_cells").rglob("receipt.1.json")]
    assert len(receipts) == len(ALL)
    assert all(r["n_asked"] == 0 and r["n_imported"] == r["n_expected"] for r in receipts)


def test_a_skipped_contender_is_asked_when_its_cause_is_gone(tiny: Tiny) -> None:
    tiny.edit("config.yaml", "contenders: [random, keyword, tfidf-logreg]", "contenders: [random, jev]")
    tiny.build()
    assert "Nothing to be done" in tiny.build().output
    key = {"TYPESAFE_API_KEY": "not a key"}
    # with a key the reason is another one, and the receipts say so; then there is peace again
    jobs = tiny.snakemake("results/tiny.md", env=key)
    assert jobs.asked == cells(["jev"])
    receipts = [json.loads(p.read_text()) for p in (tiny.root / "runs/_cells").rglob("receipt.2.json")]
    assert {(r["contender"], r["status"], r["stop_reason"]) for r in receipts} == {
        ("jev", "skipped", "billed providers cannot be asked yet")
    }
    assert "Nothing to be done" in tiny.snakemake("results/tiny.md", env=key).output


def test_forcing_never_asks_an_answered_cell(tiny: Tiny) -> None:
    before = _tree(tiny, "runs")
    done = tiny.snakemake("results/tiny.md", "-R", "ask", check=False)
    assert done.code == 1 and "forcing does not ask it again" in done.output
    done = tiny.snakemake("results/tiny.md", "-F", check=False)
    assert done.code == 1 and "forcing does not ask it again" in done.output
    tiny.snakemake("results/tiny.md", "--touch")
    assert _tree(tiny, "runs") == before


def test_cells_are_shared_between_releases(tiny: Tiny) -> None:
    jobs = tiny.build("results/other.md")
    assert (jobs.asked, jobs.rules["score"], jobs.rules["publish"]) == (frozenset(), 0, 1)


def _compare(jobs, change: Change) -> None:
    assert jobs.asked == change.asks
    assert jobs.scored == change.scores
    assert jobs.rules["publish"] == int(change.publishes)
    # nothing is listed twice
    assert jobs.rules["ask"] == len(change.asks)
    assert jobs.rules["score"] == len(change.scores)


def _tree(t: Tiny, folder: str) -> dict[str, bytes]:
    root = t.root / folder
    return {
        str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file() and p.name != "alive"
    }
