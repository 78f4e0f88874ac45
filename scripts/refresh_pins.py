"""Rewrite the pins: `tool.uv.constraint-dependencies` in pyproject.toml and, for pip, requirements.txt with hashes.

Usage: python scripts/refresh_pins.py [--upgrade]

A lock file is not committed, since it carries download addresses; these two carry names, versions and hashes only.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYPROJECT = ROOT / "pyproject.toml"


def main() -> None:
    """Resolve, read the versions, write both files."""
    if "--upgrade" in sys.argv[1:]:
        _write_pins({})
        (ROOT / "uv.lock").unlink(missing_ok=True)
    uv("lock")
    lock = tomllib.loads((ROOT / "uv.lock").read_text())
    versions: dict[str, str] = {}
    for package in lock["package"]:
        name, version = package["name"], package.get("version", "")
        # one version for every Python, so that numbers agree: the oldest that the lock chose
        if name != "dmb" and (name not in versions or _order(version) < _order(versions[name])):
            versions[name] = version
    _write_pins(versions)
    uv("lock")
    exported = uv(
        "export", "--format", "requirements-txt", "--no-emit-project", "--no-header", "--no-dev", "--no-annotate"
    )
    (ROOT / "requirements.txt").write_text(exported)
    print(f"{len(versions)} pins; requirements.txt: {exported.count('==')} packages")


def uv(*args: str) -> str:
    """Run uv in the project and return what it prints."""
    return subprocess.run(["uv", *args], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def _order(version: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", version)]


def _write_pins(versions: dict[str, str]) -> None:
    lines = "".join(f'    "{n}=={v}",\n' for n, v in sorted(versions.items()))
    text = PYPROJECT.read_text()
    text = re.sub(r"constraint-dependencies = \[\n.*?\]", f"constraint-dependencies = [\n{lines}]", text, flags=re.S)
    PYPROJECT.write_text(text)


if __name__ == "__main__":
    main()
