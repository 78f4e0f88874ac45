"""Frames of real releases: their numbers are those of the cells file, and what is unknown is missing."""

from __future__ import annotations

import contextlib
import json
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

pd = pytest.importorskip("pandas", reason="the extra `frames` is not installed: no pandas")
pytest.importorskip("pyarrow", reason="the extra `frames` is not installed: no pyarrow")

import dmb  # noqa: E402
from dmb.archive.make import archive_bytes  # noqa: E402
from dmb.archive.restore import restore  # noqa: E402
from dmb.contracts.attempt import OUTCOMES, Timing  # noqa: E402
from dmb.errors import DamagedFile, DmbError, MissingEvidence, UsageError  # noqa: E402
from dmb.frames.columns import FRAMES, KINDS, ROW_KEY  # noqa: E402
from dmb.frames.export import FORMATS, export  # noqa: E402
from dmb.frames.make import MONEY, frame, kind_of  # noqa: E402
from dmb.frames.rows import attempt_rows, decision_rows  # noqa: E402
from dmb.publish.document import load_document  # noqa: E402
from dmb.scoring.evidence import open_evidence  # noqa: E402
from dmb.store.layout import RUNS  # noqa: E402
from tests.conftest import PROJECT  # noqa: E402
from tests.dag.tiny import Tiny  # noqa: E402
from tests.merge.ground import LATE, Ground  # noqa: E402
from tests.merge.test_report import report  # noqa: E402
from tests.scoring.by_hand import SUITE, attempt, chat, price, score, tokens  # noqa: E402


@pytest.fixture(scope="module")
def published(template: Tiny, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dmb.frames.loaded.LoadedRelease]:
    """Three suites, one of which has its options in other orders; a cell that ran out of time, and two runs."""
    tiny = template.copy_of_inputs(tmp_path_factory.mktemp("frames") / "tiny")
    with contextlib.chdir(tiny.root):
        ground = Ground(tiny)
        ground.run("a")
        ground.run("b", "majority", "beta", clock=LATE)
        report("a", "b")
        found = dmb.load_release("merged")
        for name in FRAMES:
            getattr(found, name)
    return tiny.root, found


@pytest.fixture
def release(published, monkeypatch) -> dmb.frames.loaded.LoadedRelease:
    """The same for tests that only read."""
    root, found = published
    monkeypatch.chdir(root)
    return found


@pytest.fixture
def own_release(published, tmp_path, monkeypatch) -> dmb.frames.loaded.LoadedRelease:
    """A copy for a test that takes files away."""
    monkeypatch.chdir(shutil.copytree(published[0], tmp_path / "own"))
    return dmb.load_release("merged")


def cells_file() -> dict[tuple[str, str], dict]:
    found = json.loads(Path("results/merged.cells.json").read_text(encoding="utf-8"))["cells"]
    return {(c["contender"], c["suite"]): c for c in found}


def test_columns_are_those_that_are_documented(release):
    for name, columns in FRAMES.items():
        made = getattr(release, name)
        assert [c for c in made.columns if not c.startswith("slice_") or c in columns] == list(columns)
        for column, (kind, _) in columns.items():
            assert str(made[column].dtype) == KINDS[kind], column
    page = (PROJECT / "docs/frames.md").read_text(encoding="utf-8")
    for name, columns in FRAMES.items():
        section = page.partition(f"## {name}\n")[2].partition("\n## ")[0]
        listed = [
            line for line in section.splitlines() if line.startswith("| `") and not line.startswith("| `n_valid`,")
        ]
        # outcomes share a line
        together = {f"n_{outcome}" for outcome in OUTCOMES}
        told = {column: c for column, c in columns.items() if column not in ROW_KEY and column not in together}
        assert listed == [f"| `{column}` | {kind} | {about} |" for column, (kind, about) in told.items()]
    assert all(f"| `{column}` | {kind} | {about} |" in page for column, (kind, about) in ROW_KEY.items())
    assert f"| {', '.join(f'`n_{outcome}`' for outcome in OUTCOMES)} | count |" in page
    kinds = page.partition("## Kinds\n")[2].partition("\n## ")[0]
    assert all(f"| {kind} | `{dtype}` |" in kinds for kind, dtype in KINDS.items())


def test_cells_are_those_of_the_cells_file(release):
    cells = release.cells.set_index(["contender", "suite"])
    assert cells.index.is_unique and set(cells.index) == set(cells_file())
    for who, cell in cells_file().items():
        row = cells.loc[who]
        assert {o: row[f"n_{o}"] for o in OUTCOMES} == cell["outcomes"]
        assert sum(row[f"n_{o}"] for o in OUTCOMES) == row["n_expected"] == cell["n_expected"]
        for name in ("status", "source_run", "cell_key", "simulated", "n_groups", "repeats"):
            assert row[name] == cell[name], name
    late = cells.loc["majority", "beta"]
    assert (late["status"], late["stop_reason"], late["source_run"]) == ("dnf", "deadline", "b")
    assert pd.isna(cells.loc[("random", "beta"), "stop_reason"])


def test_metrics_are_those_of_the_cells_file(release):
    metrics = release.metrics
    whole = metrics[metrics["slice_by"].isna()].set_index(["contender", "suite", "metric"])
    assert whole.index.is_unique
    n = 0
    for (contender, suite), cell in cells_file().items():
        for name, record in cell["metrics"].items():
            row = whole.loc[contender, suite, name]
            for field in ("value", "low", "high", "num", "den", "note"):
                told = record[field]
                assert pd.isna(row[field]) if told is None else row[field] == (told if field == "note" else float(told))
            n += 1
    assert n == len(whole)
    assert len(metrics) == n + sum(len(p["metrics"]) for c in cells_file().values() for p in c["slices"])


def test_accuracy_is_what_the_decisions_come_to(release):
    decisions = release.decisions
    assert not decisions.duplicated(["contender", "suite", "item", "permutation", "repeat", "slot"]).any()
    for (contender, suite), cell in cells_file().items():
        rows = decisions[(decisions["contender"] == contender) & (decisions["suite"] == suite)]
        assert rows["outcome"].value_counts().to_dict() == {o: n for o, n in cell["outcomes"].items() if n}
        for name, over in (("accuracy_valid", "valid"), ("accuracy_end_to_end", None)):
            told = cell["metrics"][name]
            counted = rows[rows["counted"] & (rows["outcome"] != "skipped")]
            counted = counted[counted["outcome"] == over] if over else counted
            assert (int(counted["correct"].fillna(False).sum()), len(counted)) == (told["num"] or 0, told["den"] or 0)
    assert decisions.loc[decisions["outcome"] != "valid", ["correct", "value", "confidence"]].isna().all(axis=None)


def test_attempts_are_the_rows_of_the_raw_logs(release):
    attempts = release.attempts
    for cell in load_document(Path("results/merged/release.json")).cells:
        rows = attempts[(attempts["contender"] == cell.contender) & (attempts["suite"] == cell.suite)]
        logged = (
            [json.loads(line) for line in Path(cell.raw).read_text(encoding="ascii").splitlines()] if cell.raw else []
        )
        assert sorted(rows["request"]) == sorted(r["request"] for r in logged)
        assert sorted(rows["request_ms"]) == sorted(r["timing"]["request_ms"] for r in logged)
        assert set(rows["source_run"]) <= {cell.run}
    # nobody's usage is known, nothing was sent over a wire, and nothing of that is 0
    assert attempts[["input_tokens", "output_tokens", "charged_usd", "status", "connect_ms"]].isna().all(axis=None)


def by_hand(attempts, prices):
    """Frames of a cell whose attempts were written by hand, and its score."""
    scored = score("m", attempts, prices)
    evidence = open_evidence(Path(scored.receipt), SUITE.slots)
    decisions = frame("decisions", list(decision_rows(evidence, SUITE, prices)))
    return decisions, frame("attempts", list(attempt_rows(evidence, SUITE, prices))), scored


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_money_adds_up_to_the_cell_without_rounding(scratch):
    # 0.1 dollars a million: amounts that no binary fraction holds
    logged = [attempt(chat(tokens(10 + n, 3), cost=None), item=n) for n in range(12)]
    decisions, attempts, scored = by_hand(logged, [price("m", input="0.1", output="0.7")])
    assert attempts["cost_usd"].dtype == decisions["cost_usd"].dtype == MONEY
    assert attempts["cost_usd"].sum() == decisions["cost_usd"].sum() == Decimal(scored.cost_usd)
    assert attempts["cost_usd"][0] == Decimal("0.0000031")
    assert (attempts["input_tokens"].sum(), attempts["output_tokens"].sum()) == (186, 36)


def test_what_is_unknown_is_missing_and_never_nought(scratch):
    logged = [attempt(chat(None), item=0), attempt(None, item=1), attempt(chat(tokens(10, 3)), item=2)]
    decisions, attempts, scored = by_hand(logged, [price("m")])
    assert scored.cost_usd is None
    assert attempts["cost_usd"].isna().tolist() == [True, True, False]
    assert attempts["cost_unknown"].notna().tolist() == [True, True, False]
    assert attempts["input_tokens"].isna().tolist() == [True, True, False]
    assert (attempts["failure"][1], attempts["outcome"][1]) == ("timeout", "failed") and pd.isna(attempts["status"][1])
    by_item = decisions.set_index("item")
    assert by_item.loc["i1", ["value", "correct", "confidence", "position", "served_model", "cost_usd"]].isna().all()
    # what was not asked has cost nothing that anybody could name
    assert by_item.loc["i3", "outcome"] == "skipped" and pd.isna(by_item.loc["i3", "cost_usd"])
    assert by_item.loc["i2", "correct"] and by_item.loc["i2", "cost_usd"] == Decimal("0.000016")


def test_retries_of_a_row_are_attempts_of_their_own(scratch):
    logged = [
        attempt(None, timing=Timing(sent_at="2026-11-30T12:00:00Z")),
        attempt(chat(tokens(10, 3)), number=2, cause="failed", at="2026-11-30T12:00:01Z"),
    ]
    decisions, attempts, _ = by_hand(logged, [price("m")])
    assert attempts[["attempt", "cause", "outcome"]].to_numpy().tolist() == [
        [1, "first", "failed"],
        [2, "failed", "valid"],
    ]
    assert (attempts["sent_at"][1] - attempts["sent_at"][0]).total_seconds() == 1
    first = decisions.set_index("item").loc["i0"]
    assert (first["outcome"], first["n_attempts"], first["latency_ms"]) == ("valid", 2, 1010.0)
    assert pd.isna(first["cost_usd"])


def test_half_a_surrogate_pair_and_absurd_counts_are_no_reason_to_fail(scratch):
    logged = [attempt(chat(tokens(10**30, 3)), item=0), attempt(chat(tokens(1, 1), '"\\ud800"'), item=1)]
    _, attempts, _ = by_hand(logged, [price("m")])
    assert attempts["input_tokens"].isna().tolist() == [True, False]
    odd = frame("cells", [{"label": "\ud800", "n_valid": 1}])
    assert odd["label"][0] == "\\ud800" and pd.isna(odd["lab"][0])


def test_an_amount_that_no_column_holds_is_said():
    with pytest.raises(DmbError, match="cost_usd: holds an amount"):
        frame("cells", [{"cost_usd": Decimal(1).scaleb(-25)}])


def test_fields_of_items_get_columns_of_their_kind():
    made = frame("decisions", [{"slice_a": 1, "slice_b": True, "slice_c": "x"}, {"slice_a": None, "slice_c": 2}])
    assert [str(made[f"slice_{c}"].dtype) for c in "abc"] == ["Int64", "boolean", "string"]
    assert (kind_of([1, True]), kind_of([])) == ("text", "flag")


@pytest.mark.parametrize("named", ["merged", "results/merged.md", "results/merged.html", "results/merged.cells.json", "results/merged", "results/merged/release.json"])  # fmt: skip
def test_a_release_is_found_by_any_of_its_names(release, named):
    assert dmb.load_release(named).document == release.document


def test_what_is_not_there_is_said_in_one_line(own_release):
    for named in ("nosuch", "results/nosuch.md", "runs/a"):
        with pytest.raises(UsageError, match="no release is there"):
            dmb.load_release(named)
    shutil.rmtree(RUNS)
    with pytest.raises(MissingEvidence, match="its evidence is not here"):
        _ = dmb.load_release("merged").decisions
    # what is published is there all the same
    assert len(dmb.load_release("merged").cells) == 6
    path = Path("results/merged.cells.json")
    path.write_text(path.read_text().replace('"release_key": "', '"release_key": "0'), encoding="utf-8")
    with pytest.raises(DamagedFile, match="is of another release"):
        _ = dmb.load_release("merged").cells


def test_an_archive_gives_the_same_frames_by_itself_beside_its_release_and_restored(own_release, tmp_path):
    wanted = {name: getattr(own_release, name) for name in FRAMES}
    archive = Path("results/merged.archive.tar.xz")
    archive.write_bytes(
        archive_bytes(own_release.document, Path("results/merged/release.json").read_bytes(), private=False)
    )
    alone = tmp_path / "elsewhere" / archive.name
    alone.parent.mkdir()
    shutil.copy(archive, alone)
    shutil.rmtree(RUNS)
    shutil.rmtree("data/items")
    for found in (dmb.load_release(alone), dmb.load_release("merged")):
        for name, made in wanted.items():
            pd.testing.assert_frame_equal(getattr(found, name), made)
    restore(archive)
    archive.unlink()
    restored = dmb.load_release("merged")
    for name, made in wanted.items():
        pd.testing.assert_frame_equal(getattr(restored, name), made)


def test_exported_tables_read_back_as_they_were(release, tmp_path):
    for kind in FORMATS:
        paths = export(release, tmp_path / kind, kind)
        assert [p.name for p in paths] == [f"{name}.{kind}" for name in FRAMES]
        before = [p.read_bytes() for p in paths]
        assert [p.read_bytes() for p in export(release, tmp_path / kind, kind)] == before
    for name in FRAMES:
        made = getattr(release, name)
        back = pd.read_parquet(tmp_path / f"parquet/{name}.parquet", dtype_backend="pyarrow")
        assert list(back.columns) == list(made.columns) and len(back) == len(made)
        text = pd.read_csv(tmp_path / f"csv/{name}.csv", dtype=str, keep_default_na=False, na_values=[""])
        for column in made.columns:
            assert (back[column].isna() == made[column].isna()).all()
            assert (text[column].isna() == made[column].isna()).all()
            known = made[column].dropna()
            assert back[column].dropna().tolist() == known.tolist()
            if str(made[column].dtype).startswith("decimal128"):
                assert [Decimal(t) for t in text[column].dropna()] == known.tolist()
                assert not text[column].str.contains("E").any()


def test_the_command_writes_them(own_release):
    from typer.testing import CliRunner

    from dmb.cli.app import app

    done = CliRunner().invoke(app, ["export", "merged", "--to", "out", "--format", "csv"])
    assert done.output.splitlines() == [f"out/{name}.csv" for name in FRAMES]
    assert isinstance(CliRunner().invoke(app, ["export", "nosuch", "--to", "out"]).exception, UsageError)
