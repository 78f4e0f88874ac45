"""The same evidence gives the same bytes: in another folder, time zone, locale and umask, and on another Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.dag.tiny import Tiny

#: Where `.ci/run` puts an environment of the other Python, and how another place for it is named.
OTHER, OTHER_VARIABLE = PROJECT / ".venv-other/bin/python", "DMB_OTHER_PYTHON"

#: Publishes from raw bytes: no score file is read. Says which Python did, and with which umask.
REMAKE = """
import os, sys
from dmb.planning.plan import Planner
from dmb.planning.project import load_project
from dmb.publish.assemble import make_document
from dmb.publish.document import document_bytes
from dmb.publish.rebuild import rebuild
from dmb.publish.write import publish
from dmb.store.layout import RESULTS
os.umask(int(sys.argv[1], 8))
planner = Planner(load_project())
document = make_document(planner.project, planner.release("tiny"))
publish(rebuild(document), RESULTS, document_bytes(document))
print(*sys.version_info[:2], sep=".")
"""

#: Far from everything that a developer's machine is set to.
ELSEWHERE = {"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "77"}
NOWHERE = {"TZ": "America/St_Johns", "LC_ALL": "C", "PYTHONHASHSEED": "1", "PYTHONUTF8": "0", "MPLBACKEND": "pdf"}


def published(t: Tiny) -> dict[str, bytes]:
    """Every published file by its name."""
    results = t.root / "results"
    return {
        str(p.relative_to(results)): p.read_bytes()
        for p in sorted(results.rglob("*"))
        if p.is_file() and not p.name.startswith(".")
    }


def made_again(built: Tiny, root: Path, python: str, umask: str, env: dict[str, str]) -> tuple[dict[str, bytes], str]:
    """The published files of a copy without results and scores, made anew; and the version of the Python that did it."""
    t = built.copy(root)
    shutil.rmtree(t.root / "results")
    for path in (t.root / "runs/_cells").rglob("score.*.json"):
        path.unlink()
    inherited = {k: v for k, v in Tiny.environment().items() if not k.startswith(("LC_", "PYTHON", "VIRTUAL_ENV"))}
    # of one installation nothing may be taken over into another
    command = [python, "-c", REMAKE, umask]
    done = subprocess.run(command, cwd=t.root, env=inherited | env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return published(t), done.stdout.strip()


def differing(a: dict[str, bytes], b: dict[str, bytes]) -> list[str]:
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


@pytest.mark.parametrize(
    "folder, umask, env", [("a folder with blanks/ünï", "077", ELSEWHERE), ("b", "000", NOWHERE)], ids=["far", "plain"]
)
def test_another_folder_time_zone_locale_and_umask(
    built: Tiny, tmp_path: Path, folder: str, umask: str, env: dict[str, str]
) -> None:
    first = published(built)
    assert {"tiny.md", "tiny.html", "tiny.cells.json", "tiny/release.json"} <= first.keys()
    again, _ = made_again(built, tmp_path / folder, sys.executable, umask, env)
    assert differing(first, again) == []


def other_python() -> str:
    """A Python of the other minor version with the same libraries; skips with the reason where there is none."""
    python = os.environ.get(OTHER_VARIABLE) or str(OTHER)
    if not Path(python).exists():
        pytest.skip(
            f"no Python of another version with DMB's libraries: {OTHER_VARIABLE} is not set, {OTHER.parent} is not here"
        )
    return python


def test_another_python(built: Tiny, tmp_path: Path) -> None:
    again, version = made_again(built, tmp_path / "other", other_python(), "022", {})
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        pytest.skip(f"the other Python is {version}, too")
    assert differing(published(built), again) == []
