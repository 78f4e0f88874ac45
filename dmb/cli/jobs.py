"""The steps that rules call: ``python -m dmb <job> …``. Each takes plain arguments, writes one thing, or fails in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from dmb.errors import EXIT_EXECUTION, DmbError


def source(name: str, out: str, log: str) -> None:
    """Fetch one third-party file and verify it; the log says what was asked for and what came of it."""
    from dmb.planning.tables import SOURCES
    from dmb.sources import fetch, load_sources, mirror_directory, raw_path

    pinned = load_sources(Path(SOURCES))[name]
    wanted = f"{name}: {pinned.url}\nsha256 {pinned.sha256}, {pinned.bytes} bytes\n"
    try:
        path = fetch(Path(), name, pinned, mirror=mirror_directory())
        if Path(out) != raw_path(Path(), name, pinned):
            raise DmbError(f"source {name}: data/sources.toml changed since the plan was made; start again")
    except DmbError as e:
        Path(log).write_text(f"{wanted}failed: {e}\n", encoding="utf-8")
        raise
    Path(log).write_text(f"{wanted}verified: {path}\n", encoding="utf-8")


def items(suite: str, sha12: str, identity: str, texts: str) -> None:
    """Build a suite's items, which must come out with the digest that the plan named."""
    from dmb.planning.freeze import Freezer
    from dmb.planning.project import load_project
    from dmb.store.files import write_whole
    from dmb.suites.built import identity_bytes, items_digest, texts_bytes

    built = Freezer(load_project()).build(suite)
    found = items_digest(built)
    if not found.startswith(sha12):
        raise DmbError(
            f"suite {suite}: built items {found[:12]}, the plan says {sha12}; nothing was asked; start again"
        )
    write_whole(Path(texts), texts_bytes(built))
    write_whole(Path(identity), identity_bytes(built))


def train(suite: str, sha12: str, out: str) -> None:
    """Build a suite's train split, which must come out with the digest that the plan named."""
    from dmb.canonical import sha256_hex
    from dmb.planning.freeze import Freezer
    from dmb.planning.project import load_project
    from dmb.store.files import write_whole
    from dmb.suites.built import train_bytes

    data = train_bytes(Freezer(load_project()).build(suite))
    if data is None or not sha256_hex(data).startswith(sha12):
        raise DmbError(f"suite {suite}: the train split differs from the plan; nothing was asked; start again")
    write_whole(Path(out), data)


def ask(cell_key: str, out: str) -> None:
    """Ask one cell for the run named in DMB_RUN."""
    import gc

    # what is loaded now stays to the end: looking through it again and again would be our time, not the server's
    gc.disable()
    from dmb.engine.cell import ask_cell
    from dmb.store.heartbeat import leave_in_order_on_sigterm

    leave_in_order_on_sigterm()
    gc.freeze()
    gc.enable()
    run = os.environ.get("DMB_RUN")
    if not run:
        raise DmbError("ask: no run is open; this step is started by snakemake only")
    ask_cell(run, cell_key, Path(out))


def score(receipt: str, expected_key: str, out: str, reference: str = "") -> None:
    """Score one receipt. ``expected_key``: the first 16 digits of the score key in the path."""
    from dmb.planning.keys import score_key, scoring_code
    from dmb.planning.tables import suite_and_prices
    from dmb.scoring.cell_score import score_cell
    from dmb.scoring.score_file import score_bytes
    from dmb.store.files import write_whole
    from dmb.store.receipts import load_receipt
    from dmb.store.snapshots import prices_asked_at, rows_that_differ

    rec = load_receipt(Path(receipt))
    compared = load_receipt(Path(reference)) if reference else None
    asked = rec.parts["contender"]
    suite, prices = suite_and_prices(rec.suite, asked["provider"], asked["model"])
    key = score_key(
        cell=rec.cell_key,
        number=rec.number,
        prices=prices,
        code=scoring_code(rec.parts["asker"]["name"]),
        suite=suite,
        compared=(compared.cell_key, compared.number) if compared else None,
    )
    if not key.startswith(expected_key):
        raise DmbError(f"{out}: prices, suite or code changed since the plan was made; start again")
    # the receipt names its run, so that what the run was priced with needs no place in the key
    others = rows_that_differ(prices, prices_asked_at(rec.run), rec.parts["contender"])
    compare_with = Path(reference) if reference else None
    scored = score_cell(Path(receipt), suite, prices, compare_with, key, other_prices=others)
    write_whole(Path(out), score_bytes(scored))


def publish(release: str, expected_key: str) -> None:
    """Publish one release from its scores."""
    from dmb.planning.plan import Planner
    from dmb.planning.project import load_project
    from dmb.publish.assemble import make_document
    from dmb.publish.document import document_bytes
    from dmb.publish.rebuild import rebuild, stored
    from dmb.publish.write import publish as write_release
    from dmb.store.layout import RESULTS

    planner = Planner(load_project())
    planned = planner.release(release)
    if planned.key != expected_key:
        raise DmbError(f"release {release}: inputs changed since the plan was made; start again")
    document = make_document(planner.project, planned)
    write_release(rebuild(document, score_of=stored()), RESULTS, document_bytes(document))


JOBS: dict[str, Callable[..., None]] = {
    "source": source,
    "items": items,
    "train": train,
    "ask": ask,
    "score": score,
    "publish": publish,
}


def run_job(name: str, args: list[str]) -> int:
    """Exit code of the job; an error meant for people is one line on stderr, and leaves a mark in the open run."""
    try:
        JOBS[name](*args)
    except DmbError as e:
        print(f"dmb {name}: {e}", file=sys.stderr)
        _leave_mark(name, args, str(e))
        return e.exit_code
    except OSError as e:
        text = (
            f"{e.filename or Path.cwd()}: {e.strerror or e}; make it usable, and start again: what is on disk is kept"
        )
        print(f"dmb {name}: {text}", file=sys.stderr)
        _leave_mark(name, args, text)
        return EXIT_EXECUTION
    return 0


def _leave_mark(name: str, args: list[str], text: str) -> None:
    """Every job that can end a run leaves a mark, so that its manifest says failed, and why."""
    run = os.environ.get("DMB_RUN")
    if run and name != "ask":
        from dmb.store.runs import mark

        mark(run, f"failed.{name}.{args[0].replace('/', '_')[-60:]}", text)
