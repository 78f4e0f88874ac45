"""What scoring and publishing cost, each figure beside a peer library in one run.

Usage: python scripts/bench_scoring.py [--rows 200000] [--keep FOLDER]       needs the group `oracles`

CPU seconds of one process each, imports counted apart; what a peer takes too long for is measured on a stated fraction
and scaled. Ratios hold between figures of one run; absolute times depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
N_CONTENDERS, N_SUITES, N_ITEMS, N_LABELS = 7, 4, 616, 77
N_CELLS = N_CONTENDERS * N_SUITES
RESAMPLES = 2_000
LABELS = [f"label-{k:02d}" for k in range(N_LABELS)]
#: Share of the resamples that the scikit-learn loop is run for.
FRACTION = 1 / 400


def main() -> None:
    """Run each part in a process of its own, so that none profits from what another has loaded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the attempts log")
    parser.add_argument("--keep", type=Path, help="put the synthetic evidence here and leave it")
    parser.add_argument("--part", choices=PARTS, help="run one part in this process")
    args = parser.parse_args()
    if args.part:
        print(json.dumps(PARTS[args.part](args)))
        return
    with tempfile.TemporaryDirectory() as folder:
        where = args.keep.resolve() if args.keep else Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        print(f"{'what':<66} {'DMB':>9} {'bar':>7} {'peer':>9} {'ratio':>8}")
        for part in PARTS:
            for line in _run(part, args.rows, where):
                _show(**line)


def _run(part: str, rows: int, where: Path) -> list[dict[str, Any]]:
    command = [sys.executable, __file__, "--part", part, "--rows", str(rows)]
    env = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=where, env=env, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def _show(what: str, ours: float, bar: float | None = None, peer: float | None = None, of: str = "") -> None:
    cells = [f"{ours:9.3f}", f"{bar:7.2f}" if bar is not None else " " * 7]
    cells += [f"{peer:9.3f} {peer / ours:7.1f}x  {of}"] if peer is not None else [of]
    print(f"{what:<66} {' '.join(cells)}".rstrip(), flush=True)


def _cpu_s(work: Callable[[], object], times: int = 1) -> float:
    """The least CPU seconds of so many goes."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


# -- bootstraps


def bootstraps(_: argparse.Namespace) -> list[dict[str, Any]]:
    """Every interval that is resampled, over all cells, beside a loop over scikit-learn's F1."""
    from decimal import Decimal

    import numpy as np
    from sklearn.metrics import f1_score

    from dmb import metrics

    rng = np.random.default_rng(0)
    gold = [LABELS[n % N_LABELS] for n in range(N_ITEMS)]
    predicted = [[g if rng.random() < 0.8 else LABELS[rng.integers(N_LABELS)] for g in gold] for _ in range(N_CELLS)]
    costs = [[Decimal(int(x)) / 10**6 for x in rng.integers(10, 99, N_ITEMS)] for _ in range(N_CELLS)]
    sure = [np.round(rng.random(N_ITEMS), 2) for _ in range(N_CELLS)]
    right = [rng.random(N_ITEMS) < c for c in sure]

    f1 = _cpu_s(lambda: [metrics.macro_f1(gold, p, LABELS, resamples=RESAMPLES) for p in predicted])
    cost = _cpu_s(lambda: [metrics.cost_per_1000(c) for c in costs])
    drift = _cpu_s(
        lambda: [metrics.ece_drift(c, y, c[::-1], y, resamples=RESAMPLES) for c, y in zip(sure, right, strict=True)]
    )
    floor = _cpu_s(lambda: [metrics.ece_floor(c, draws=RESAMPLES) for c in sure])

    codes = {label: code for code, label in enumerate(LABELS)}
    g, p = (np.array([codes[x] for x in column]) for column in (gold, predicted[0]))
    n_loop = round(N_CELLS * RESAMPLES * FRACTION)

    def loop() -> None:
        for _ in range(n_loop):
            drawn = rng.integers(N_ITEMS, size=N_ITEMS)
            f1_score(g[drawn], p[drawn], labels=range(N_LABELS), average="macro", zero_division=0)

    peer = _cpu_s(loop) / FRACTION
    size = f"{N_CELLS} x {N_ITEMS} x {RESAMPLES:,}"
    said = f"f1_score loop on 1/{1 / FRACTION:.0f} of the resamples, scaled"
    return [
        {"what": f"macro-F1 bootstrap, {size}, CPU s", "ours": f1, "bar": 2.5, "peer": peer, "of": said},
        {"what": f"cost interval (no resampling), {N_CELLS} x {N_ITEMS}, CPU s", "ours": cost},
        {"what": f"calibration drift bootstrap, {size}, CPU s", "ours": drift},
        {"what": f"noise floor of the ECE, {size}, CPU s", "ours": floor},
        {
            "what": "all bootstraps together, CPU s",
            "ours": f1 + drift,
            "bar": 2.5,
            "peer": peer,
            "of": "the F1 loop alone",
        },
    ]


# -- calibration


def calibration(_: argparse.Namespace) -> list[dict[str, Any]]:
    """ECE and Brier score of a million rows, beside scikit-learn's curve and Brier score, and relplot's smooth ECE."""
    import numpy as np
    from relplot import smECE
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss

    from dmb import metrics

    rng = np.random.default_rng(0)
    sure = rng.random(1_000_000)
    right = rng.random(1_000_000) < sure
    ours = _cpu_s(lambda: (metrics.ece(sure, right), metrics.brier(sure, right)), times=3)
    peer = _cpu_s(lambda: (calibration_curve(right, sure, n_bins=10), brier_score_loss(right, sure)), times=3)
    few, hits = sure[:N_ITEMS], right[:N_ITEMS]
    return [
        {
            "what": "ECE + Brier, 1,000,000 rows, CPU s",
            "ours": ours,
            "bar": 0.1,
            "peer": peer,
            "of": "scikit-learn: calibration_curve + brier_score_loss",
        },
        {
            "what": f"smooth ECE, {N_ITEMS} rows, CPU s",
            "ours": _cpu_s(lambda: metrics.smooth_ece(few, hits), times=3),
            "peer": _cpu_s(lambda: smECE(few, hits), times=3),
            "of": "relplot: smECE",
        },
    ]


# -- the attempts log


def attempts(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Read and validate a raw log row by row, beside the standard library's JSON parser, which validates nothing."""
    from dmb.store.attempts import read_attempts

    path = Path("many.attempts.jsonl")
    with path.open("wb") as log:
        for n in range(args.rows):
            log.write(_line("m", "s", "0" * 64, n, n % N_LABELS, 0.9))
    before_mb = _peak_mb()
    ours = _cpu_s(lambda: _count(read_attempts(path)))
    peak_mb = _peak_mb()
    with path.open("rb") as log:
        peer = _cpu_s(lambda: _count(json.loads(line) for line in log))
    rows = f"{args.rows:,} attempt rows"
    return [
        {
            "what": f"{rows} validated by streaming, CPU s",
            "ours": ours,
            "bar": 2.5 * args.rows / 200_000,
            "peer": peer,
            "of": "json.loads alone",
        },
        {
            "what": f"{rows}, peak MB of the process",
            "ours": peak_mb,
            "bar": 100,
            "of": f"{before_mb:.0f} before reading",
        },
    ]


def _count(rows: Any) -> int:
    return sum(1 for _ in rows)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# -- a whole release


def release(_: argparse.Namespace) -> list[dict[str, Any]]:
    """Score every cell from its raw bytes and render every file of the release."""
    start = time.process_time()
    from dmb.publish.write import rendered
    from dmb.scoring.cell_score import score_cell
    from dmb.scoring.score_file import score_bytes

    imports = time.process_time() - start
    cells, suites, prices = _evidence()
    start = time.process_time()
    scores = [score_cell(receipt, suites[suite], prices[who], None, key) for who, suite, key, receipt in cells]
    written = sum(len(score_bytes(score)) for score in scores)
    scored = time.process_time() - start
    start = time.process_time()
    files = rendered(_release(scores, suites, prices))
    published = time.process_time() - start
    size = f"{N_CELLS} x {N_ITEMS}"
    return [
        {"what": f"rescore {size} from raw bytes, CPU s", "ours": scored, "of": f"{written / 1e6:.1f} MB of scores"},
        {
            "what": f"render the release of {size}, CPU s",
            "ours": published,
            "of": f"{len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB",
        },
        {"what": "rescore and report, without Snakemake, CPU s", "ours": scored + published, "bar": 5.0},
        {"what": "imports for that, CPU s", "ours": imports},
    ]


def _evidence() -> tuple[list[tuple[str, str, str, Path]], dict[str, Any], dict[str, Any]]:
    """Items, raw logs and receipts of all cells in the current folder -> cells, suites, prices by contender."""
    import random

    from dmb.canonical import sha256_hex
    from dmb.contracts.attempt import OUTCOMES
    from dmb.contracts.price import PriceRow
    from dmb.contracts.receipt import Receipt
    from dmb.contracts.suite import ItemsSpec, Question, SuiteFile
    from dmb.store.files import write_whole
    from dmb.store.layout import items_path, receipt_path
    from dmb.store.receipts import write_receipt
    from dmb.suites.built import Built, BuiltItem, identity_bytes, items_digest

    draw = random.Random(0)
    options = tuple((label, f"The {label}") for label in LABELS)
    suites, prices, cells = {}, {}, []
    for k in range(N_SUITES):
        name = f"suite-{k}"
        suites[name] = SuiteFile(
            id=name,
            title=f"Synthetic {k}",
            description="For measuring only.",
            items=ItemsSpec(builder="made-up"),
            question=Question(instructions="Which?"),
        )
        items = tuple(
            BuiltItem(id=f"i{n}", state=f"{k} {n}", option_set="all", gold={"decision": LABELS[n % N_LABELS]})
            for n in range(N_ITEMS)
        )
        built = Built(option_sets={"all": options}, items=items)
        digest = items_digest(built)
        write_whole(items_path(name, digest), identity_bytes(built))
        for c in range(N_CONTENDERS):
            who = f"model-{c}"
            key = sha256_hex(f"{who} {name}".encode())
            lines = []
            for n in range(N_ITEMS):
                sure = round(draw.betavariate(6, 2), 2)
                right = draw.random() < sure * (1 - c / 20)
                lines.append(_line(who, name, key, n, n % N_LABELS if right else draw.randrange(N_LABELS), sure))
            raw = Path("runs/r-1/raw") / f"{who}.{name}.attempts.jsonl"
            write_whole(raw, b"".join(lines))
            path = receipt_path(who, name, key, 1)
            receipt = {"cell_key": key, "number": 1, "contender": who, "suite": name, "run": "r-1", "items": digest}
            receipt |= {"status": "complete", "n_expected": N_ITEMS, "n_asked": N_ITEMS, "n_imported": 0}
            receipt |= {"n_attempts": N_ITEMS, "outcomes": dict.fromkeys(OUTCOMES, 0), "wall_s": 1.0, "raw": str(raw)}
            parts = {"contender": _contender(who), "limit": None, "repeats": 1, "learns": {}}
            write_receipt(path, Receipt(**receipt, raw_sha256=sha256_hex(raw.read_bytes()), parts=parts))
            row = {"provider": "p", "model": who, "input": "1", "output": "2", "source": "made up"}
            prices[who] = [PriceRow(**row, checked_on="2026-11-30")]
            cells.append((who, name, key, path))
    return cells, suites, prices


def _contender(who: str) -> dict[str, Any]:
    return {"provider": "p", "wire": "chat_completions", "model": who, "display": {"label": who.title()}}


def _line(who: str, suite: str, cell: str, item: int, choice: int, sure: float) -> bytes:
    """A row of a raw log in the shape and size that a language model's have."""
    answer = json.dumps({"choice_index": choice, "confidence": sure})
    usage = {"prompt_tokens": 900 + item % 50, "completion_tokens": 14, "total_tokens": 914 + item % 50}
    choice_of = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
    reply = {"id": f"c-{item}", "object": "chat.completion", "model": who, "choices": [choice_of], "usage": usage}
    body = {"model": who, "temperature": 0, "messages": [{"role": "user", "content": "a question of some length " * 8}]}
    timing = {"sent_at": "2026-11-30T12:00:00.000Z", "request_ms": 300.0 + item % 97, "first_byte_ms": 280.5}
    row = {"cell": cell, "contender": who, "suite": suite, "item": f"i{item}", "attempt": 1, "request": "1" * 64}
    row |= {"asker": "wire:chat_completions", "asker_version": 1, "body": json.dumps(body), "sent": True, "status": 200}
    row |= {"reply": json.dumps(reply), "outcome": "valid", "timing": timing | {"client_wait_ms": 0.2, "lag_ms": 0.1}}
    return json.dumps(row, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"


def _release(scores: list[Any], suites: dict[str, Any], prices: dict[str, Any]) -> Any:
    from dmb.contracts import config
    from dmb.contracts.contender import Contender
    from dmb.contracts.price import PricesFile
    from dmb.publish.release import Release

    return Release(
        name="bench",
        key="0" * 64,
        title="For measuring only",
        spec=config.Release(title="For measuring only", suites=tuple(suites), contenders=tuple(prices)),
        suites=suites,
        contenders={who: Contender(**_contender(who)) for who in prices},
        scores=tuple(scores),
        receipts={},
        prices=PricesFile(price=tuple(row for rows in prices.values() for row in rows)),
        deviations=(),
        runs=(),
        attributions=(),
        protocol_version=3,
        dmb_version="0",
    )


PARTS: dict[str, Callable[[argparse.Namespace], list[dict[str, Any]]]] = {
    "bootstraps": bootstraps,
    "calibration": calibration,
    "attempts": attempts,
    "release": release,
}

if __name__ == "__main__":
    main()
