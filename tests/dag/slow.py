"""A project whose one contender takes a while for each of its rows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.dag.tiny import Tiny

SERVER = Path(__file__).with_name("slow_server.py")

N_ITEMS = 24


def slow_project(root: Path, delay_s: float) -> Tiny:
    """Its server reads its delay from the file `delay` at its start, and writes what it is asked into `bill.txt`."""
    t = Tiny.make(root)
    with (t.root / "data/providers.toml").open("a") as f:
        f.write("\n[slow]\nconcurrency = 2\nbilled = false\n")
    serve = f"{sys.executable} {SERVER} {{port}} {t.root / 'bill.txt'} {t.root / 'delay'}"
    with (t.root / "data/contenders.toml").open("a") as f:
        f.write(
            '\n[slow]\nprovider = "slow"\nwire = "systemone"\nmodel = "slow-1"\n'
            f'serve = "{serve}"\nhealth = "/"\ndisplay = {{ label = "Slow" }}\n'
        )
    (t.root / "delay").write_text(str(delay_s))
    rows = [{"id": f"i{i}", "text": f"message number {i}", "label": "red"} for i in range(N_ITEMS)]
    (t.root / "data/beta.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (t.root / "config.yaml").write_text(
        "all: [tiny]\nreleases:\n  tiny: {title: T, suites: [beta], contenders: [slow]}\n"
    )
    return t
