"""A release of one billed contender, from attempts written by hand: what a tiny project without keys cannot have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from dmb.canonical import digest, sha256_hex
from dmb.contracts import config
from dmb.contracts.cell import Score
from dmb.contracts.price import PriceRow
from dmb.contracts.release import ContenderEntry, EvidenceCell, ReleaseDocument, SuiteEntry
from dmb.publish.document import document_bytes, signed
from dmb.store.files import file_sha256, write_whole
from dmb.store.layout import items_path
from dmb.store.receipts import load_receipt
from tests.scoring.by_hand import SUITE, entry

PRICES = Path("data/prices.toml")


def table(rows: Sequence[PriceRow]) -> str:
    """A price table of these rows."""
    return "".join(
        "[[price]]\n"
        + "".join(f"{k} = {json.dumps(v)}\n" for k, v in r.model_dump(mode="json", exclude_defaults=True).items())
        for r in rows
    )


def document_of(scores: Sequence[Score], prices: Sequence[PriceRow]) -> ReleaseDocument:
    """A document of cells that lie in the current folder, with ``release.json`` and the price table beside them."""
    cells = []
    for score in scores:
        receipt = load_receipt(Path(score.receipt))
        cells.append(
            EvidenceCell(
                contender=score.contender,
                suite=score.suite,
                cell_key=score.cell_key,
                receipt=score.receipt,
                receipt_number=score.receipt_number,
                receipt_sha256=score.receipt_sha256,
                run=receipt.run,
                items=str(items_path(receipt.suite, receipt.items)),
                items_sha256=receipt.items,
                raw=receipt.raw,
                raw_sha256=receipt.raw_sha256,
                prices=tuple(n for n, row in enumerate(prices) if row.model == score.contender),
                compared=None,
                scoring_code=digest("code"),
                score_key=score.score_key,
            )
        )
    write_whole(PRICES, table(prices).encode())
    document = signed(
        name="billed",
        key=sha256_hex(b"release"),
        title="By hand",
        spec=config.Release(title="By hand", suites=(SUITE.id,), contenders=tuple(s.contender for s in scores)),
        protocol_version=3,
        dmb_version="0.1.0",
        suites=(SuiteEntry(suite=SUITE, instructions="Which?", prompt_version=1),),
        contenders=tuple(ContenderEntry(id=s.contender, entry=entry(s.contender)) for s in scores),
        cells=tuple(cells),
        prices=tuple(prices),
        sources={},
        deviations=(),
        runs=(),
        files={},
        tables={str(PRICES): file_sha256(PRICES)},
        publishing_code=digest("code"),
        libraries={},
    )
    write_whole(Path("results/billed/release.json"), document_bytes(document))
    return document
