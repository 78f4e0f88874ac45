"""Files in place: the report last, stale ones gone, others untouched."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dmb.errors import MissingEvidence
from dmb.publish.attribution import attribution_md
from dmb.publish.cells import rounded
from dmb.publish.release import Release
from dmb.publish.write import publish
from tests.publish.factory import ENTRIES, SIZES, Answers, golden_release, release


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_files_and_their_order(golden: Release, tmp_path: Path) -> None:
    made = publish(golden, tmp_path / "results")
    names = [str(path.relative_to(tmp_path / "results")) for path in made]
    drawn = [f"v9/{figure.name}.svg" for figure in golden.figures]
    assert names == [*drawn, "v9/ATTRIBUTION.md", "v9.cells.json", "v9.html", "v9.md"]
    # Nothing is left over from building aside.
    assert sorted(bytes_below(tmp_path / "results")) == sorted(names)


def test_release_key_is_in_all_three(golden: Release, published: Path) -> None:
    assert (published / "v9.md").read_text("utf-8").endswith(f"\n<!-- release-key: {golden.key} -->\n")
    assert f'<meta name="release-key" content="{golden.key}">' in (published / "v9.html").read_text("utf-8")
    assert json.loads((published / "v9.cells.json").read_text("utf-8"))["release_key"] == golden.key


def test_publishing_again_changes_no_byte(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published, tmp_path, dirs_exist_ok=True)
    publish(golden_release(), tmp_path)
    assert bytes_below(tmp_path) == bytes_below(published)


def test_stale_files_go_and_nothing_else(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published, tmp_path, dirs_exist_ok=True)
    others = {
        "v9/CORRECTIONS.md": b"kept",
        "v9/reliability.notes.txt": b"kept",
        "v8.md": b"kept",
        "v8/cardinality.svg": b"kept",
        ".v9.note": b"kept",
    }
    for name, content in others.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    smaller = release(
        {"random": ENTRIES["random"]}, {("random", "intent-77"): Answers(5, {"valid": 300}, 1.0)}, ["intent-77"]
    )
    publish(smaller, tmp_path)
    left = bytes_below(tmp_path)
    assert {name for name in left if name.startswith("v9/")} - set(others) == {
        "v9/ATTRIBUTION.md",
        "v9/reliability.intent-77.svg",
        "v9/tradeoff.intent-77.svg",
    }
    assert {name: left[name] for name in others} == others


def test_failure_leaves_the_earlier_files_alone(golden: Release, published: Path, tmp_path: Path) -> None:
    shutil.copytree(published, tmp_path, dirs_exist_ok=True)
    before = bytes_below(tmp_path)
    with pytest.raises(MissingEvidence):
        publish(golden_release(scores=golden.scores[1:]), tmp_path)
    assert bytes_below(tmp_path) == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_cells_file(golden: Release, published: Path) -> None:
    text = (published / "v9.cells.json").read_text("utf-8")
    document = json.loads(text)
    assert text == json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
    assert [(c["suite"], c["contender"]) for c in document["cells"]] == [
        (s, c) for s in golden.suites for c in golden.contenders
    ]
    cell = document["cells"][2]
    assert set(cell) == {
        "contender",
        "suite",
        "status",
        "stop_reason",
        "source_run",
        "cell_key",
        "simulated",
        "n_expected",
        "n_groups",
        "repeats",
        "outcomes",
        "metrics",
        "cost_usd",
        "cost_note",
        "cost",
        "cost_other",
        "negotiation",
        "timing",
        "places",
        "thresholds",
        "slices",
    }
    assert cell["outcomes"] == {
        "valid": 280,
        "malformed": 12,
        "truncated": 0,
        "refused": 0,
        "failed": 0,
        "unsupported": 8,
        "skipped": 0,
    }
    accuracy = cell["metrics"]["accuracy_valid"]
    assert accuracy == {
        "value": 0.664285714286,
        "low": accuracy["low"],
        "high": accuracy["high"],
        "n": 280,
        "num": 186,
        "den": 280,
        "note": None,
    }
    skipped = document["cells"][4]
    assert (
        skipped["outcomes"]["skipped"] == 300
        and skipped["metrics"]["ece"]["value"] is None
        and skipped["metrics"]["ece"]["note"] == "skipped: no-credential"
    )
    slices = document["cells"][7]["slices"]
    assert [(part["by"], part["value"]) for part in slices] == [("n_options", n) for n in SIZES]
    assert set(slices[0]) == {"by", "value", "metrics"}


def test_numbers_are_rounded_to_twelve_digits() -> None:
    assert rounded(0.1 + 0.2) == 0.3
    assert str(rounded(-1e-320 * 0)) == "0.0"
    assert (rounded(7), rounded("0.10"), rounded(None)) == (7, "0.10", None)


def test_release_whose_suites_name_no_source_claims_nothing_more() -> None:
    text = attribution_md(golden_release(attributions=()))
    assert "No third-party source is named by the suites" in text and "data" not in text
