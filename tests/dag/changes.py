"""The table of what must rerun, as changes to a tiny project; what is compared with it stands here too."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from tests.dag.tiny import Jobs, Tiny

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
    t.edit("data/contenders.toml", 'model = "keyword"', 'model = "keyword"\nlimits = { requests_per_minute = 60 }')
    t.edit("data/providers.toml", "[in-process]", "[in-process]\nlimits = { tokens_per_minute = 9000 }")
    t.edit("rules/cells.smk", " -m dmb ask", "  -m  dmb  ask")
    code("dmb/suites/jsonl.py", "EXTRA = 1")(t)  # a builder edit that yields the same items
    touch_everything(t)


TABLE: dict[str, Change] = {
    "touches, comments, limits, shell text, a builder edit that yields the same items": Change(
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
    "texts of a suite no longer shown": Change(
        lambda t: t.edit("data/suites/beta.toml", "publish_text = true", "publish_text = false")
    ),
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


def compare(jobs: Jobs, change: Change) -> None:
    """Exactly the jobs that the change demands, none of them twice."""
    assert jobs.asked == change.asks
    assert jobs.scored == change.scores
    assert jobs.rules["publish"] == int(change.publishes)
    assert jobs.rules["ask"] == len(change.asks)
    assert jobs.rules["score"] == len(change.scores)


def tree(t: Tiny, folder: str) -> dict[str, bytes]:
    """Every file below a folder of the project, locks apart."""
    root = t.root / folder
    return {
        str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file() and p.name != "alive"
    }
