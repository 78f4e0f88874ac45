"""``dmb verify``: holds what is as it was, and finds one byte that is not, in every kind of file."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dmb.canonical import sha256_hex
from dmb.cli.jobs import run_job
from dmb.contracts.price import PriceRow
from dmb.contracts.release import ReleaseDocument
from dmb.planning.plan import Planner
from dmb.planning.project import load_project
from dmb.publish.document import document_bytes, load_document, signed
from dmb.publish.figures.figure import suite_of
from dmb.store.evidence_root import HERE, EvidenceRoot
from dmb.store.files import load_json, pretty_json
from dmb.verify.check import verify_release
from dmb.verify.findings import Verification
from tests.dag.changes import ALL
from tests.dag.tiny import Tiny
from tests.scoring.by_hand import attempt, chat, price, score, tokens
from tests.verify.billed import PRICES, document_of, table

Verify = Callable[[Tiny], Verification]
Command = Callable[..., tuple[int, str, str]]

CODE_NOTE = "the release was scored by other code than this (DMB 0.1.0)"

#: Cells of `order` are compared with those of `alpha`.
WITH_ORDER = {"alpha": ("alpha", "order"), "order": ("order",), "beta": ("beta",)}


@pytest.fixture(scope="module")
def worked_on(built: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """A copy in which each test puts back what it changed."""
    return built.copy(tmp_path_factory.mktemp("verify") / "project")


@pytest.fixture
def t(worked_on: Tiny) -> Iterator[Tiny]:
    before = {path: path.read_bytes() for path in files_below(worked_on.root)}
    yield worked_on
    for path in files_below(worked_on.root):
        if path not in before:
            path.unlink()
    for path, data in before.items():
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)


def files_below(root: Path) -> list[Path]:
    found = [root / "data/prices.toml"]
    for folder in ("results", "runs", "data/items"):
        found += [p for p in (root / folder).rglob("*") if p.is_file()]
    return found


def document(t: Tiny) -> ReleaseDocument:
    return load_document(t.root / "results/tiny/release.json")


def flip(path: Path, at: int) -> None:
    """Another byte at that place: one bit, so that text stays text."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def names(found: Verification, file: str) -> set[str]:
    """Cells named with a file, which must be among the findings."""
    hits = [f for f in found.findings if f.file == file]
    assert hits, f"{file} is not among {[f.file for f in found.findings]}"
    return {name for f in hits for name in f.cell_names()}


def test_what_was_published_holds(built: Tiny, verified: Verify) -> None:
    found = verified(built)
    assert found.findings == [] and found.notes == [] and found.holds
    assert (found.n_cells, found.n_cells_scored) == (len(ALL), len(ALL))
    raw = sum(len(p.read_bytes().splitlines()) for p in (built.root / "runs").rglob("*.attempts.jsonl"))
    assert found.n_attempts == found.n_requests == raw and found.n_requests_without_text == 0
    assert found.n_published_files == sum(
        p.is_file() and p.name not in ("release.json", ".snakemake_timestamp", "README.md")
        for p in (built.root / "results").rglob("*")
    )
    assert found.n_numbers > 1000


@pytest.mark.parametrize("suite", ["alpha", "order", "beta"])
def test_a_byte_of_a_raw_log_names_the_log_and_all_cells_made_from_it(t: Tiny, verified: Verify, suite: str) -> None:
    log = next(c.raw for c in document(t).cells if (c.contender, c.suite) == ("keyword", suite))
    size = (t.root / log).stat().st_size
    for at in random.Random(1).sample(range(size), 3):
        flip(t.root / log, at)
        found = verified(t)
        assert names(found, log) == {f"keyword.{s}" for s in WITH_ORDER[suite]}
        assert [f.file for f in found.findings] == [log]
        flip(t.root / log, at)


def test_a_byte_of_a_receipt(t: Tiny, verified: Verify) -> None:
    cell = next(c for c in document(t).cells if (c.contender, c.suite) == ("random", "alpha"))
    size = (t.root / cell.receipt).stat().st_size
    for at in random.Random(2).sample(range(size), 5):
        flip(t.root / cell.receipt, at)
        assert names(verified(t), cell.receipt) == {"random.alpha", "random.order"}
        flip(t.root / cell.receipt, at)


@pytest.mark.parametrize("suite, touched", [("alpha", ("alpha", "order")), ("beta", ("beta",))])
def test_a_byte_of_an_items_file(t: Tiny, verified: Verify, suite: str, touched: tuple[str, ...]) -> None:
    path = next(c.items for c in document(t).cells if c.suite == suite)
    for at in (0, 100, (t.root / path).stat().st_size - 1):
        flip(t.root / path, at)
        assert names(verified(t), path) >= {f"{c}.{s}" for c in ("random", "keyword") for s in touched}
        flip(t.root / path, at)


def test_a_byte_of_a_texts_file(t: Tiny, verified: Verify) -> None:
    path = next((t.root / "data/items").glob("beta.*.texts.jsonl"))
    flip(path, path.read_bytes().index(b"paint"))
    found = verified(t)
    assert [f.file for f in found.findings] == [str(path.relative_to(t.root))]
    assert found.n_requests_without_text == 18


@pytest.mark.parametrize("name", ["prices.toml", "contenders.toml"])
def test_a_byte_of_what_a_run_kept(t: Tiny, verified: Verify, name: str) -> None:
    path = f"runs/tiny-1/{name}"
    for at in (0, 1234):
        flip(t.root / path, at)
        assert names(verified(t), path) == ALL
        flip(t.root / path, at)


def test_a_fact_of_a_manifest(t: Tiny, verified: Verify) -> None:
    path = t.root / "runs/tiny-1/manifest.json"
    manifest = load_json(path)
    for changed in (
        {"started_at": "2026-01-01T00:00:00Z"},
        {"spend_usd": manifest["spend_usd"] | {"scored": "1"}},
        {"python_version": "3.0"},
    ):
        path.write_bytes(pretty_json(manifest | changed))
        assert names(verified(t), "runs/tiny-1/manifest.json") == ALL
    path.write_bytes(pretty_json(manifest | {"deviations": [{"what": "paced by hand", "why": "a test"}]}))
    names(verified(t), "results/tiny/release.json")
    path.write_bytes(b"{")
    assert names(verified(t), "runs/tiny-1/manifest.json") == ALL


def test_a_byte_of_the_release_document(t: Tiny, verified: Verify) -> None:
    path = t.root / "results/tiny/release.json"
    for at in random.Random(3).sample(range(path.stat().st_size), 12):
        flip(path, at)
        found = verified(t)
        assert not found.holds and {f.file for f in found.findings} == {"results/tiny/release.json"}
        flip(path, at)


@pytest.mark.parametrize("ending", ["md", "html", "cells.json"])
def test_a_byte_of_a_published_text(t: Tiny, verified: Verify, ending: str) -> None:
    path = t.root / f"results/tiny.{ending}"
    for at in random.Random(4).sample(range(path.stat().st_size), 6):
        flip(path, at)
        found = verified(t)
        assert [f.file for f in found.findings] == [f"results/tiny.{ending}"] and found.findings[0].cells
        flip(path, at)


def test_a_byte_of_every_other_published_file(t: Tiny, verified: Verify) -> None:
    paths = sorted(
        p for p in (t.root / "results/tiny").iterdir() if p.name not in ("release.json", ".snakemake_timestamp")
    )
    assert {p.suffix for p in paths} == {".svg", ".md"}
    for path in paths:
        at = path.stat().st_size // 2
        flip(path, at)
        touched = names(verified(t), str(path.relative_to(t.root)))
        suite = suite_of(path.stem)
        assert touched == ({cell for cell in ALL if cell.endswith(f".{suite}")} if suite else ALL)
        flip(path, at)


def test_a_number_names_its_cell(t: Tiny, verified: Verify) -> None:
    cells = load_json(t.root / "results/tiny.cells.json")
    cell = next(c for c in cells["cells"] if (c["contender"], c["suite"]) == ("keyword", "beta"))
    cell["metrics"]["accuracy_valid"]["value"] = 0.75
    text = json.dumps(cells, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
    (t.root / "results/tiny.cells.json").write_text(text, encoding="utf-8")
    (finding,) = verified(t).findings
    assert finding.cell_names() == ["keyword.beta"] and "metrics.accuracy_valid.value" in finding.problem


def test_a_line_of_the_report_names_its_cell(t: Tiny, verified: Verify) -> None:
    path = t.root / "results/tiny.md"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    heading = next(n for n, line in enumerate(lines) if line.startswith("#") and "beta" in line)
    row = next(n for n in range(heading, len(lines)) if lines[n].startswith("| Keyword |"))
    digit = next(i for i, c in enumerate(lines[row]) if c.isdigit())
    lines[row] = lines[row][:digit] + str((int(lines[row][digit]) + 1) % 10) + lines[row][digit + 1 :]
    path.write_text("".join(lines), encoding="utf-8")
    (finding,) = verified(t).findings
    assert finding.cell_names() == ["keyword.beta"] and finding.problem.startswith(f"line {row + 1}: ")


def test_what_is_missing_or_too_much(t: Tiny, verified: Verify) -> None:
    raw = next(c.raw for c in document(t).cells if (c.contender, c.suite) == ("random", "beta"))
    (t.root / raw).unlink()
    assert names(verified(t), raw) == {"random.beta"}
    shutil.copy(t.root / "runs/tiny-1/raw/random.alpha.attempts.jsonl", t.root / raw)
    assert names(verified(t), raw) == {"random.beta"}


def test_files_that_nobody_made_here(t: Tiny, verified: Verify) -> None:
    (t.root / "results/tiny/reliability.ghost.svg").write_text("<svg>99.9</svg>")
    (t.root / "results/tiny/FINDINGS.md").write_text("Read by people.")
    (t.root / "results/tiny.html").unlink()
    found = verified(t)
    assert {f.file for f in found.findings} == {"results/tiny/reliability.ghost.svg", "results/tiny.html"}
    assert found.notes == ["results/tiny/FINDINGS.md: not made from the evidence, so not looked at here"]


def test_without_texts_it_says_how_many_requests_could_not_be_made_again(t: Tiny, verified: Verify) -> None:
    gone = sorted((t.root / "data/items").glob("*.texts.jsonl"))
    for path in gone:
        path.unlink()
    found = verified(t)
    assert found.n_requests == 0 and found.n_requests_without_text == found.n_attempts > 0
    # the page shows them, so they are evidence too
    assert [f.file for f in found.findings] == [str(path.relative_to(t.root)) for path in gone]


# -- what a forger would do


def reply_changed(t: Tiny, contender: str, suite: str) -> ReleaseDocument:
    """Another answer in a raw log, with a receipt and a document that fit it; returns that document."""
    told = document(t)
    cell = next(c for c in told.cells if (c.contender, c.suite) == (contender, suite))
    log = t.root / cell.raw
    rows = [json.loads(line) for line in log.read_bytes().splitlines()]
    rows[0]["reply"], rows[1]["reply"], rows[2]["reply"] = (rows[i]["reply"] for i in (1, 2, 0))
    log.write_bytes(b"".join(json.dumps(r, sort_keys=True, separators=(",", ":")).encode() + b"\n" for r in rows))
    receipt = load_json(t.root / cell.receipt) | {"raw_sha256": sha256_hex(log.read_bytes())}
    (t.root / cell.receipt).write_bytes(pretty_json(receipt))
    sha = {"raw_sha256": receipt["raw_sha256"], "receipt_sha256": sha256_hex((t.root / cell.receipt).read_bytes())}
    cells = tuple(c.model_copy(update=sha) if c == cell else c for c in told.cells)
    return resigned(t, told, cells=cells)


def resigned(t: Tiny, told: ReleaseDocument, **changes: object) -> ReleaseDocument:
    forged = signed(**{name: getattr(told, name) for name in ReleaseDocument.model_fields} | changes)
    (t.root / "results/tiny/release.json").write_bytes(document_bytes(forged))
    return forged


def test_a_changed_reply_is_found_though_every_digest_was_made_to_fit(t: Tiny, verified: Verify) -> None:
    reply_changed(t, "keyword", "beta")
    found = verified(t)
    assert {"results/tiny.cells.json", "results/tiny.md", "results/tiny.html"} <= {f.file for f in found.findings}
    assert names(found, "results/tiny.cells.json") == {"keyword.beta"}


def test_another_question_in_a_log_is_found(t: Tiny, verified: Verify) -> None:
    told = document(t)
    suites = tuple(
        s.model_copy(update={"instructions": "Which colour is not meant?"}) if s.suite.id == "beta" else s
        for s in told.suites
    )
    resigned(t, told, suites=suites)
    found = verified(t)
    assert names(found, "results/tiny/release.json") == {f"{c}.beta" for c in ("random", "keyword", "tfidf-logreg")}
    assert names(found, next(c.raw for c in told.cells if (c.contender, c.suite) == ("random", "beta")))


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "A better title"},
        {"protocol_version": 2},
        {"key": "0" * 64},
        {"publishing_code": "0" * 64},
        {"deviations": ({"what": "none", "why": "none"},)},
    ],
    ids=lambda c: next(iter(c)),
)
def test_a_claim_that_the_evidence_does_not_bear_out(t: Tiny, changes: dict) -> None:
    resigned(t, document(t), **changes)
    # what would be drawn from it is of no interest here
    found = verify_release("tiny", t.root / "results", EvidenceRoot(t.root), render=lambda release: {})
    names(found, "results/tiny/release.json")


def test_no_score_file_is_read(t: Tiny, verified: Verify) -> None:
    for path in (t.root / "runs/_cells").rglob("score.*.json"):
        path.write_text("{}")
    for path in (t.root / "runs").rglob("decisions/*"):
        path.unlink()
    assert verified(t).holds


# -- prices


@pytest.fixture
def billed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[PriceRow]:
    """Two billed contenders in the current folder, and the rows that they were priced with."""
    monkeypatch.chdir(tmp_path)
    prices = [price("a"), price("b"), price("c")]
    scores = [score(name, [attempt(chat(tokens(10, 2)))], prices[n : n + 1]) for n, name in enumerate("ab")]
    document_of(scores, prices[:2])
    PRICES.write_text(table(prices))
    return prices


def price_findings() -> tuple[set[str], list[str]]:
    found = verify_release("billed", Path("results"), HERE, render=lambda release: {})
    return {n for f in found.findings if f.file == str(PRICES) for n in f.cell_names()}, found.notes


def test_a_row_of_the_price_table_names_its_cells(billed: list[PriceRow]) -> None:
    note = f"{PRICES} was edited since the release was published, and no row of it with that"
    assert price_findings() == (set(), [note, CODE_NOTE])
    for name in "ab":
        text = table(billed).encode()
        at = text.index(f'model = "{name}"'.encode())
        for field in (b'input = "1"', b'output = "2"', b"example.org", b"2026-11-30"):
            PRICES.write_bytes(text)
            flip(PRICES, text.index(field, at) + len(field) - 2)
            assert price_findings()[0] == {f"{name}.by-hand"}, field
    PRICES.write_bytes(table(billed).encode().replace(b"[[price]]", b"[[price]", 1))
    assert price_findings()[0] == {"a.by-hand", "b.by-hand"}


# -- the command


def test_the_command(tiny: Tiny, command: Command) -> None:
    code, out, err = command(tiny, "verify", "tiny")
    assert (code, err) == (0, "") and out.endswith("release tiny: verified\n")
    log = "runs/tiny-1/raw/keyword.alpha.attempts.jsonl"
    flip(tiny.root / log, 40)
    code, out, err = command(tiny, "verify", "results/tiny.md")
    assert (code, err) == (3, "")
    assert f"{log}: sha256 is " in out and "touches keyword.alpha, keyword.order\n" in out
    code, out, _ = command(tiny, "verify", "tiny", "--json")
    told = json.loads(out)
    assert code == 3 and told["verified"] is False
    assert [(f["file"], f["cells"]) for f in told["findings"]] == [(log, ["keyword.alpha", "keyword.order"])]
    code, out, err = command(tiny, "verify", "nowhere")
    assert (code, out) == (2, "") and err.startswith("dmb: results/nowhere/release.json: is not here")


def test_an_edited_score_is_not_published(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tiny.root)
    key = Planner(load_project()).release("tiny").key
    before = Path("results/tiny.md").read_bytes()
    assert key is not None and run_job("publish", ["tiny", key]) == 0
    path = next(Path("runs/_cells").glob("keyword.beta/*/score.*.json"))
    text = path.read_text()
    for old, new in (('"value":0.', '"value":0.9'), ('"sha256": "', '"sha256": "0'), ('"n":6', '"n":7')):
        assert old in text
        path.write_text(text.replace(old, new, 1))
        assert run_job("publish", ["tiny", key]) == 3
        assert str(path) in capsys.readouterr().err
    assert Path("results/tiny.md").read_bytes() == before
