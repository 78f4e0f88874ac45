"""A release of other code than today's is verified with the code in its archive, and today's differences stand beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmb.archive.command import make_archive
from dmb.archive.restore import code_in, read_archive
from dmb.archive.tarball import pack, unpack
from dmb.cli.recorded_code import verify_with_recorded_code
from dmb.store.evidence_root import HERE
from dmb.verify.check import verify_release
from dmb.verify.findings import Finding, Verification
from tests.dag.tiny import Tiny

ARCHIVE = Path("results/tiny.archive.tar.xz")


@pytest.fixture
def archived(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    monkeypatch.chdir(tiny.root)
    make_archive("tiny", private=False)
    return tiny


def of_today() -> Verification:
    """What code that prints the page otherwise would find."""
    return Verification(
        "tiny", findings=[Finding("results/tiny.html", "line 3", (("keyword", "beta"),))], other_code=True
    )


def test_the_archives_code_decides_and_todays_differences_are_noted(archived: Tiny) -> None:
    # whatever package lies in the project's folder, it is not the one that made the release
    (archived.root / "dmb/__init__.py").write_text("raise SystemExit('the wrong code')")
    found = verify_with_recorded_code("tiny", Path("results"), Path(), of_today())
    assert found.holds and found.n_cells_scored == 9 and found.n_numbers > 1000
    assert found.notes[0] == f"verified with the code in {ARCHIVE}, which made the release, in a process of its own"
    assert found.notes[-1] == "with the code that is here, results/tiny.html: line 3"
    # and what it finds is a finding
    with Path("results/tiny.md").open("ab") as report:
        report.write(b"99\n")
    found = verify_with_recorded_code("tiny", Path("results"), Path(), of_today())
    assert [f.file for f in found.findings] == ["results/tiny.md"]


def test_code_that_cannot_be_had_leaves_todays_findings(archived: Tiny) -> None:
    files = unpack(ARCHIVE)
    assert "verify/check.py" in code_in(files)
    for data, said in (
        (
            pack({**files, "code/dmb/__main__.py": b"raise SystemExit('no such library')"}),
            "does not run here: no such library",
        ),
        (b"no archive", "its code cannot be had: "),
        (None, f"{ARCHIVE} would hold that code, and is not here"),
    ):
        if data is None:
            ARCHIVE.unlink()
        else:
            ARCHIVE.write_bytes(data)
        found = verify_with_recorded_code("tiny", Path("results"), Path(), of_today())
        assert found.findings == of_today().findings and said in found.notes[-1]


def test_libraries_that_its_code_needs_are_named_in_one_line(archived: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong whichever code looks at it stays; what today's code would print otherwise does not."""
    monkeypatch.setattr(
        "dmb.cli.recorded_code.installed_version", lambda name: None if name in ("numpy", "jinja2") else "1"
    )
    versions = read_archive(ARCHIVE)[1].libraries
    damaged = Finding("runs/r/raw/keyword.beta.attempts.jsonl", "sha256 is another", (("keyword", "beta"),))
    here = of_today()
    here.findings.append(damaged)
    found = verify_with_recorded_code("tiny", Path("results"), Path(), here)
    assert found.findings == [
        damaged,
        Finding(
            str(ARCHIVE),
            f"the code that made the release needs jinja2 {versions['jinja2']}, numpy {versions['numpy']}, not installed here: `uv sync --extra recorded`",
        ),
    ]
    # bytes that were not published are found without that code
    (Path("results/tiny/MANIFEST.sha256")).write_text(f"{'0' * 64}  tiny.html\n")
    found = verify_with_recorded_code("tiny", Path("results"), Path(), of_today())
    assert "results/tiny.html" in [f.file for f in found.findings]


def test_other_code_is_seen(archived: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not verify_release("tiny", Path("results"), HERE, render=lambda release: {}).other_code
    monkeypatch.setattr("dmb.verify.check.publishing_code", lambda: "0" * 64)
    assert verify_release("tiny", Path("results"), HERE, render=lambda release: {}).other_code
    assert read_archive(ARCHIVE)[1].name == "tiny"
