"""``dmb explain``: a number led back to the bytes of the attempts that it was made from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dmb.contracts.release import ReleaseDocument
from dmb.errors import DamagedFile, UsageError
from dmb.publish.document import load_document
from dmb.store.attempts import read_attempt
from dmb.store.evidence_root import HERE, EvidenceRoot
from dmb.store.files import load_json
from dmb.verify.explain import explain
from tests.dag.tiny import Tiny
from tests.scoring.by_hand import attempt, chat, price, score, tokens
from tests.verify.billed import document_of


def document(t: Tiny) -> ReleaseDocument:
    return load_document(t.root / "results/tiny/release.json")


def explained(t: Tiny, cell: str, metric: str, part: str | None = None) -> dict:
    return explain("tiny", cell, metric, part, t.root / "results", EvidenceRoot(t.root))


def test_rows_add_up_to_every_numerator_and_denominator(built: Tiny) -> None:
    """Every measure of every suite, with the contenders taking turns."""
    cells = load_json(built.root / "results/tiny.cells.json")["cells"]
    n_checked = 0
    turn = {contender: n for n, contender in enumerate(dict.fromkeys(cell["contender"] for cell in cells))}
    for cell in cells:
        for n, (metric, told) in enumerate(cell["metrics"].items()):
            if n % len(turn) != turn[cell["contender"]]:
                continue
            found = explained(built, f"{cell['contender']}.{cell['suite']}", metric)
            assert found["published"] == found["number"]["value"] == told["value"]
            if found["n_counted"] is None or not isinstance(told["num"], int) or not isinstance(told["den"], int):
                continue
            assert (found["n_counted"], found["n_rows"]) == (told["num"], told["den"]), (cell["suite"], metric)
            n_checked += 1
    assert n_checked >= 3 * len(cells)


def test_each_attempt_is_found_at_its_byte(built: Tiny) -> None:
    found = explained(built, "keyword.order", "flip_rate")
    assert found["n_rows"] == 6 and len(found["rows"]) == 6
    for row in found["rows"]:
        for attempts, suite in ((row["attempts"], "order"), (row["compared_with"], "alpha")):
            (told,) = attempts
            there = read_attempt(built.root / told["file"], told["byte"])
            assert (there.item, there.suite, there.request) == (row["item"], suite, told["request"])
    assert found["evidence"]["compared with"]["file"].startswith("runs/_cells/keyword.alpha/")


def test_evidence_and_code_are_those_of_the_document(built: Tiny) -> None:
    cell = next(c for c in document(built).cells if (c.contender, c.suite) == ("random", "beta"))
    found = explained(built, "random.beta", "accuracy_valid")
    assert found["evidence"]["raw log"] == {"file": cell.raw, "sha256": cell.raw_sha256}
    assert found["evidence"]["items"] == {"file": cell.items, "sha256": cell.items_sha256}
    assert found["code"]["scoring"] == found["code"]["scoring_here"] == cell.scoring_code


@pytest.mark.parametrize(
    "cell, metric, part, said",
    [
        ("keyword.gamma", "ece", None, "'keyword.gamma' is no cell of release tiny"),
        ("keyword.beta", "accuracy", None, "'accuracy' is no measure of keyword.beta"),
        ("keyword.beta", "ece", "n_options=8", "'n_options=8' is no slice of keyword.beta"),
    ],
)
def test_what_there_is_not(built: Tiny, cell: str, metric: str, part: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        explained(built, cell, metric, part)


def test_a_damaged_log_is_not_explained(tiny: Tiny) -> None:
    log = tiny.root / "runs/tiny-1/raw/keyword.beta.attempts.jsonl"
    log.write_bytes(log.read_bytes() + b"\n")
    with pytest.raises(DamagedFile, match=r"keyword\.beta\.attempts\.jsonl: sha256"):
        explained(tiny, "keyword.beta", "ece")


def test_a_cost_names_the_price_row_of_each_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prices = [price("c", valid_to="2026-11-30"), price("c", valid_from="2026-12-01", input="3")]
    attempts = [
        attempt(chat(tokens(1_000_000, 0)), item=0),
        attempt(None, item=1),
        attempt(chat(tokens(1_000_000, 500_000)), item=1, number=2, at="2026-12-01T00:00:01Z"),
    ]
    document_of([score("c", attempts, prices)], prices)
    found = explain("billed", "c.by-hand", "cost_unknown_rate", None, Path("results"), HERE)
    told = [(a["cost_usd"], a["cost_note"], a["price"]) for row in found["rows"] for a in row["attempts"]]
    assert told == [("1", None, 0), (None, "usage not reported", 0), ("4", None, 1)]
    assert [p["input"] for p in found["prices"]] == ["1", "3"]
    assert found["prices"][1]["window"].startswith("from 2026-12-01")
    assert (found["number"]["num"], found["number"]["den"]) == (1, 3)


def test_the_command(built: Tiny, command: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = command(built, "explain", "tiny", "keyword.beta", "accuracy_valid")
    lines = out.splitlines()
    assert (code, err, lines[0]) == (0, "", "accuracy_valid of keyword.beta in release tiny")
    assert any(line.startswith("  raw log    runs/tiny-1/raw/keyword.beta.attempts.jsonl") for line in lines)
    assert sum(line[:2] in ("+ ", "- ") for line in lines) == 6
    code, out, _ = command(built, "explain", "results/tiny.md", "keyword.beta", "accuracy_valid", "--json")
    assert code == 0 and json.loads(out)["n_rows"] == 6
    code, out, err = command(built, "explain", "tiny", "keyword.beta", "nonsense")
    assert (code, out) == (2, "") and err.count("\n") == 1
