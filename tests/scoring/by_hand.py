"""Attempts written by hand -> evidence on disk -> a score -> a release: the way of every number, without asking anybody."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dmb.canonical import json_line, sha256_hex, text_digest
from dmb.contracts import config
from dmb.contracts.attempt import OUTCOMES, Attempt, Failure, Timing
from dmb.contracts.cell import Score
from dmb.contracts.contender import Contender, Display
from dmb.contracts.price import PriceRow, PricesFile
from dmb.contracts.receipt import Negotiation, Receipt
from dmb.contracts.release import RunFacts
from dmb.contracts.suite import ItemsSpec, MetricsSpec, Question, SuiteFile
from dmb.engine.probe_question import NEGOTIATION
from dmb.publish.cells import cells_json
from dmb.publish.markdown import report_md
from dmb.publish.page import page_html
from dmb.publish.release import Release
from dmb.scoring.cell_score import score_cell
from dmb.scoring.score_file import parse_score, score_bytes
from dmb.store.files import file_sha256, write_whole
from dmb.store.layout import items_path, probes_dir, receipt_path
from dmb.store.receipts import write_receipt
from dmb.suites.built import Built, BuiltItem, identity_bytes, items_digest

N_ITEMS = 12
OPTIONS = (("refund", "Money back"), ("bug", "A fault"))
BUILT = Built(
    option_sets={"all": OPTIONS},
    items=tuple(
        BuiltItem(id=f"i{n}", state=f"text {n}", option_set="all", gold={"decision": "refund"}) for n in range(N_ITEMS)
    ),
)
SUITE = SuiteFile(
    id="by-hand",
    title="By hand",
    description="Attempts that were written by hand.",
    items=ItemsSpec(builder="made-up"),
    question=Question(instructions="Which?"),
    metrics=MetricsSpec(),
)
ANSWER = '{"choice_index": 0, "confidence": 0.9}'
NOON = "2026-11-30T12:00:00Z"


def chat(usage: dict[str, Any] | str | None, content: str = ANSWER, **beside: Any) -> str:
    """A reply of a chat completions server. ``usage`` as JSON text is put in as it is written."""
    body = {"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": content}}], **beside}
    written = usage if isinstance(usage, str) else json.dumps(usage)
    return f'{json.dumps(body)[:-1]}, "usage": {written}}}'


def tokens(into: int, out: int, cached: int | None = None, **more: Any) -> dict[str, Any]:
    """OpenAI's counts, with their sum."""
    details = {} if cached is None else {"prompt_tokens_details": {"cached_tokens": cached}}
    return {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out, **details, **more}


def attempt(reply: str | None, *, item: int = 0, number: int = 1, at: str = NOON, **fields: Any) -> Attempt:
    """One attempt over chat completions. ``reply`` None: the transport saw no reply, or ``failure`` says why."""
    known = (
        {"failure": Failure(kind="timeout", detail="no reply")} if reply is None else {"status": 200, "reply": reply}
    )
    return Attempt(
        **{
            "cell": "0" * 64,
            "contender": "c",
            "suite": SUITE.id,
            "item": f"i{item}",
            "attempt": number,
            "request": text_digest("question"),
            "asker": "wire:chat_completions",
            "asker_version": 1,
            "body": "{}",
            "outcome": "valid" if reply is not None else "failed",
            "timing": Timing(sent_at=at, request_ms=10.0),
        }
        | known
        | fields
    )


def entry(name: str, **settings: Any) -> Contender:
    """A contender of the provider ``p`` whose model has its own name."""
    return Contender(
        provider="p", wire="chat_completions", model=name, settings=settings, display=Display(label=f"Model {name}")
    )


def price(name: str, **fields: Any) -> PriceRow:
    """A row of that contender's model: 1 dollar in, 2 out, a tenth for cached input, per million tokens."""
    known = {"input": "1", "cached": "0.1", "output": "2", "source": "https://example.org", "checked_on": "2026-11-30"}
    return PriceRow(**{"provider": "p", "model": name} | known | fields)


def probes(name: str, attempts: Sequence[Attempt], run: str = "r-1", settings: dict | None = None) -> Negotiation:
    """What a receipt says of a run's probes; their log lies in the current folder afterwards."""
    log = probes_dir(run) / f"{name}.jsonl"
    rows = [
        a.model_copy(update={"cell": NEGOTIATION, "suite": NEGOTIATION, "contender": name, "item": f"probe-{n}"})
        for n, a in enumerate(attempts, 1)
    ]
    lines = "".join(json_line(r.model_dump(mode="json", exclude_none=True)) for r in rows)
    write_whole(log, lines.encode("ascii"))
    found = {"settings": settings or {"structured": "json_mode"}, "given_up": ("temperature",), "n_probes": len(rows)}
    return Negotiation(run=run, n_attempts=len(rows), log=str(log), log_sha256=file_sha256(log), **found)


def score(
    name: str,
    attempts: Sequence[Attempt],
    prices: Sequence[PriceRow],
    who: Contender | None = None,
    *,
    suite: SuiteFile = SUITE,
    repeats: int = 1,
    negotiation: Sequence[Negotiation] = (),
    others: Sequence[PriceRow] | None = None,
) -> Score:
    """The score of one cell, made from files in the current folder and read back from its own."""
    key = sha256_hex(f"{name} {suite.id}".encode())
    items = items_digest(BUILT)
    if not (path := items_path(suite.id, items)).exists():
        write_whole(path, identity_bytes(BUILT))
    raw = Path("runs/r-1/raw") / f"{name}.{suite.id}.attempts.jsonl"
    rows = [a.model_copy(update={"cell": key, "contender": name, "suite": suite.id}) for a in attempts]
    lines = "".join(json_line(r.model_dump(mode="json", exclude_none=True)) for r in rows)
    write_whole(raw, lines.encode("ascii"))
    asked = {(r.item, r.repeat) for r in rows}
    path = receipt_path(name, suite.id, key, 1)
    receipt = Receipt(
        cell_key=key,
        number=1,
        contender=name,
        suite=suite.id,
        run="r-1",
        status="complete",
        items=items,
        n_expected=N_ITEMS * repeats,
        n_asked=len(asked),
        n_imported=0,
        n_attempts=len(rows),
        outcomes=dict.fromkeys(OUTCOMES, 0),
        raw=str(raw),
        raw_sha256=sha256_hex(raw.read_bytes()),
        simulated=any(r.simulated for r in rows),
        wall_s=1.0,
        negotiation=tuple(negotiation),
        parts={
            "contender": (who or entry(name)).model_dump(mode="json", exclude_defaults=True),
            "asker": {"name": "wire:chat_completions", "version": 1},
            "protocol": 3,
            "question": text_digest("question"),
            "limit": None,
            "repeats": repeats,
            "learns": {},
        },
    )
    write_receipt(path, receipt)
    data = score_bytes(score_cell(path, suite, prices, None, key, other_prices=others))
    return parse_score(data, path)


def release(
    scores: Sequence[Score],
    prices: Sequence[PriceRow],
    suites: Sequence[SuiteFile] = (SUITE,),
    runs: Sequence[RunFacts] = (),
) -> Release:
    """These cells, published together."""
    entries = {s.contender: entry(s.contender) for s in scores}
    named = {suite.id: suite for suite in suites}
    return Release(
        name="v0",
        key=sha256_hex(b"release"),
        title="By hand",
        spec=config.Release(title="By hand", suites=tuple(named), contenders=tuple(entries)),
        suites=named,
        contenders=entries,
        scores=tuple(scores),
        receipts={},
        prices=PricesFile(price=tuple(prices)),
        deviations=(),
        runs=tuple(runs),
        attributions=(),
        protocol_version=3,
        dmb_version="0.1.0",
    )


def published(made: Release) -> tuple[str, str, dict[str, Any]]:
    """(Markdown, page, cells file) without drawings."""
    return report_md(made), page_html(made), json.loads(cells_json(made))
