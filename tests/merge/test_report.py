"""``dmb report``: what is published of merged runs, from their own evidence and prices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dmb.cli.app import _register as register
from dmb.cli.app import app
from dmb.cli.jobs import publish, score
from dmb.errors import DamagedFile, DmbError
from dmb.planning.plan import Planner
from dmb.planning.project import load_project
from dmb.publish.document import document_bytes, load_document
from dmb.publish.rebuild import rebuild
from dmb.publish.write import rendered
from tests.merge.ground import LATE, Ground, admit, raw_of, receipt_of, rewrite


def report(*args: str) -> Result:
    """The command, in this process; what is meant for people comes out as the exception that `dmb` prints."""
    register()
    return CliRunner().invoke(app, ["report", "--runs", *args])


def cells(release: str) -> dict[tuple[str, str], dict]:
    found = json.loads(Path(f"results/{release}.cells.json").read_text(encoding="utf-8"))["cells"]
    return {(c["contender"], c["suite"]): c for c in found}


def published() -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(Path("results").rglob("*")) if p.is_file()}


def build_draft() -> None:
    """What the workflow makes of the cells that are asked."""
    planned = Planner(load_project(), {}).release("tiny")
    for cell in planned.cells:
        compared = [str(cell.compared)] if cell.compared else []
        score(str(cell.receipt), cell.score_key[:16], str(cell.score), *compared)
    publish("tiny", planned.key)


def test_a_report_of_one_run_has_the_numbers_of_its_draft(ground: Ground):
    ground.run("a")
    build_draft()
    assert report("a").exit_code == 0
    assert cells("merged") == cells("tiny")
    assert list(cells("merged")) == list(cells("tiny"))


def test_every_row_of_coverage_names_its_run_and_the_replaced_are_told(ground: Ground):
    ground.run("a")
    ground.run("b", "random", "alpha order")
    ground.run("c", "majority", "beta", clock=LATE)
    done = report("a", "b", "c", "--release", "three")
    assert done.exit_code == 0, done.output
    assert "6 cells of 3 runs; published results/three.md" in done.output
    source = {name: cell["source_run"] for name, cell in cells("three").items()}
    assert source == {
        ("random", "alpha"): "b", ("random", "order"): "b", ("random", "beta"): "a",
        ("majority", "alpha"): "a", ("majority", "order"): "a", ("majority", "beta"): "c",
    }  # fmt: skip
    assert cells("three")["majority", "beta"]["status"] == "dnf"
    text = Path("results/three.md").read_text(encoding="utf-8")
    coverage = [line.split("|") for line in text.partition("## Coverage")[2].splitlines() if line.startswith("| `")]
    rows = {(r[1].strip(" `"), r[2].strip()): r[5].strip(" `") for r in coverage[:6]}
    assert set(rows.values()) == {"a", "b", "c"} and rows["beta", "Majority"] == "c"
    assert "2 cells of `a` gave way to those of `b`." in text
    assert "majority x beta (dnf instead of complete)" in text
    assert "`dmb report --runs a b c --release three` makes these files again" in text


def test_the_order_given_decides_and_the_same_order_gives_the_same_bytes(ground: Ground):
    ground.run("a", "random", "alpha")
    ground.run("b", "random", "alpha")
    report("a", "b")
    first = published()
    assert cells("merged")["random", "alpha"]["source_run"] == "b"
    report("a", "b")
    assert published() == first
    report("b", "a")
    assert cells("merged")["random", "alpha"]["source_run"] == "a"


def test_the_document_makes_the_files_again(ground: Ground):
    ground.run("a")
    ground.run("b", "majority")
    report("a", "b")
    document = load_document(Path("results/merged/release.json"))
    assert [c.run for c in document.cells if c.contender == "majority"] == ["b"] * 3
    # without the tables: what a report is made from is in the document and the evidence
    for table in (*Path("data").glob("*.toml"), *Path("data/suites").glob("*.toml"), Path("config.yaml")):
        table.unlink()
    again = rendered(rebuild(document)) | {"merged/release.json": document_bytes(document)}
    assert {f"results/{name}": data for name, data in again.items()} == published()


@pytest.mark.parametrize("name", ["tiny", "tiny-simulated", "other", "No Name", "../x", ""])
def test_a_name_that_is_taken_or_none_is_refused(ground: Ground, name: str):
    ground.run("a", "random", "alpha")
    done = report("a", "--release", name)
    assert isinstance(done.exception, DmbError) and done.exception.exit_code == 2
    assert str(done.exception).startswith("--release: ") and not Path("results").exists()


def test_a_sealed_name_is_refused(ground: Ground):
    ground.run("a", "random", "alpha")
    Path("results/v1.0").mkdir(parents=True)
    Path("results/v1.0/MANIFEST.sha256").touch()
    assert "is sealed" in str(report("a", "--release", "v1.0").exception)


def test_a_table_with_an_empty_place_is_refused_by_name(ground: Ground):
    ground.run("a", "random", "alpha")
    ground.run("b", "majority", "beta")
    done = report("a", "b")
    assert str(done.exception).startswith("--runs: no run has majority x alpha, random x beta (2 of 4 cells)")
    assert not Path("results").exists()


def test_a_mix_is_printed_where_it_is_allowed(ground: Ground):
    ground.run("a", "random", "alpha")
    ground.edit("data/suites/alpha.toml", "Which colour is meant?", "Which colour?")
    ground.run("b", "majority", "alpha")
    assert "question of alpha" in str(report("a", "b").exception)
    assert report("a", "b", "--allow-protocol-mix").exit_code == 0
    text = Path("results/merged.md").read_text(encoding="utf-8")
    assert "Cells differ in question of alpha: " in text and "--allow-protocol-mix" in text


def test_other_outputs_than_those_of_today_are_refused(ground: Ground):
    ground.run("a", "random", "alpha")
    rewrite(Path("data/suites/alpha.toml"), "[items]", 'slots = [{ id = "colour", kind = "choice" }]\n[items]')
    assert "asked alpha for other outputs" in str(report("a").exception)


def test_a_log_that_is_gone_is_one_line_and_writes_nothing(ground: Ground):
    ground.run("a", "random", "alpha")
    Path("runs/a/raw/random.alpha.attempts.jsonl").unlink()
    done = report("a")
    assert isinstance(done.exception, DamagedFile) and "random.alpha.attempts.jsonl" in str(done.exception)
    assert not Path("results").exists()


def test_simulated_answers_are_marked_and_told(ground: Ground):
    ground.run("a", "random", "alpha")
    rewrite(raw_of("a", "random.alpha"), '"simulated":false', '"simulated":true')
    rewrite(receipt_of("a", "random.alpha"), '"simulated": false', '"simulated": true')
    admit("a", "random.alpha")
    ground.run("b", "majority", "alpha")
    done = report("a", "b")
    assert "run a holds simulated answers" in done.output and "run b" not in done.output
    assert {name: cell["simulated"] for name, cell in cells("merged").items()} == {
        ("random", "alpha"): True,
        ("majority", "alpha"): False,
    }
