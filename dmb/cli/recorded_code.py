"""A release verified with the code that made it, from its archive: where today's code is another, its numbers may be, too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from dmb.archive.make import write_below
from dmb.archive.restore import archive_of, code_in, read_archive
from dmb.errors import DmbError
from dmb.planning.keys import installed_version
from dmb.publish.document import load_document
from dmb.verify.check import document_path
from dmb.verify.findings import Finding, Verification
from dmb.verify.sealed import check_manifest

#: What a child of ours may end with: everything holds, or something was found.
_SPOKE = (0, 3)


def verify_with_recorded_code(release: str, results: Path, root: Path, here: Verification) -> Verification:
    """What the release's own code finds, with a note for each finding that only today's code has.

    ``here``: what today's code found; it comes back with one more note where there is no archive of this very release, where
    the archive is not the published one, or where its code does not run. Where that code needs libraries that are not
    installed, the one finding about published files says which.
    """
    archive = archive_of(release)
    if not archive.exists():
        here.notes.append(f"{archive} would hold that code, and is not here")
        return here
    if any(finding.file == str(archive) for finding in here.findings):
        return here
    try:
        files, document = read_archive(archive)
    except DmbError as e:
        here.notes.append(f"its code cannot be had: {e}")
        return here
    if document.sha256 != load_document(document_path(release, results)).sha256:
        here.notes.append(f"{archive} is of another state of the release, so its code was not used")
        return here
    if missing := [f"{n} {v}" for n, v in document.libraries.items() if v and installed_version(n) is None]:
        return _without_libraries(here, archive, results, missing)
    with tempfile.TemporaryDirectory(prefix="dmb-code.") as folder:
        write_below(Path(folder), {f"dmb/{name}": data for name, data in code_in(files).items()})
        told = _told(release, root, Path(folder))
    if isinstance(told, str):
        here.notes.append(f"the code in {archive} does not run here: {told}")
        return here
    found = _from_json(told)
    found.notes.insert(0, f"verified with the code in {archive}, which made the release, in a process of its own")
    found.notes += [
        f"with the code that is here, {f.file}: {f.problem}" for f in here.findings if f not in found.findings
    ]
    return found


def _without_libraries(here: Verification, archive: Path, results: Path, missing: list[str]) -> Verification:
    """What is found whichever code is used: in the evidence, and by the digests of what was published. The rest is one finding."""
    published = Verification(here.release)
    check_manifest(here.release, results, published)
    of_evidence = [f for f in here.findings if not f.file.startswith("results/")]
    here.findings = list(dict.fromkeys((*of_evidence, *published.findings)))
    what = f"the code that made the release needs {', '.join(missing)}, not installed here: `uv sync --extra recorded`"
    here.add(str(archive), what)
    return here


def _told(release: str, root: Path, code: Path) -> dict[str, Any] | str:
    """The child's JSON, or why there is none."""
    # -P: the package in the current folder is not the one that is meant
    command = [sys.executable, "-P", "-m", "dmb", "verify", release, "--json", "--root", str(root)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(code)}, capture_output=True, text=True, check=False
    )
    try:
        if done.returncode in _SPOKE:
            return json.loads(done.stdout)
    except ValueError:
        pass
    return (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]


def _from_json(told: dict[str, Any]) -> Verification:
    cells = [tuple(tuple(name.split(".", 1)) for name in f["cells"]) for f in told["findings"]]
    return Verification(
        told["release"],
        n_cells=told["cells"],
        n_cells_scored=told["cells_scored"],
        n_rows=told["rows"],
        n_attempts=told["attempts"],
        n_requests=told["requests_made_again"],
        n_requests_without_text=told["requests_without_text"],
        n_evidence_files=told["evidence_files"],
        n_published_files=told["published_files"],
        n_numbers=told["numbers"],
        findings=[Finding(f["file"], f["problem"], c) for f, c in zip(told["findings"], cells, strict=True)],
        notes=list(told["notes"]),
    )
