"""A project small enough to build many times: the real code, rules and profile over two tiny suites of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from dmb.store.layout import SCRATCH
from tests.dag import warm

CHECKOUT = Path(__file__).resolve().parents[2]

CONFIG = """\
all: [tiny]
releases:
  tiny:
    title: A tiny release
    suites: [alpha, order, beta]
    contenders: [random, keyword, tfidf-logreg]
  other:
    title: Another release of the same cells
    suites: [beta]
    contenders: [random, keyword]
"""

SUITE = """\
id = "{id}"
title = "Tiny {id}"
description = "Six messages."
publish_text = true
[items]
builder = "jsonl"
files = ["data/{id}.jsonl", "data/{id}.labels.json", "data/{id}.train.jsonl"]
params = {{ id = "id", text = "text", truth = "label" }}
[question]
instructions = "Which colour is meant?"
[baseline]
prior = "{id}"
{train}"""

ORDER = """\
id = "order"
title = "Tiny alpha in other orders"
description = "Two of them."
publish_text = true
[items]
builder = "order-stability"
suite = "alpha"
params = { seed = 1, n = 2, permutations = 3 }
[question]
same_as = "alpha"
[metrics]
compare_with = "alpha"
[baseline]
prior = "alpha"
"""


@dataclass(frozen=True)
class Jobs:
    """What a start of the workflow planned or did: jobs by rule, asked cells as `contender.suite`."""

    rules: Counter = field(default_factory=Counter)
    asked: frozenset[str] = frozenset()
    scored: frozenset[str] = frozenset()
    code: int = 0
    output: str = ""


class Tiny:
    """One scratch project."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def make(cls, root: Path) -> Tiny:
        """A new project that nothing was built in."""
        root.mkdir(parents=True)
        for name in ("Snakefile", "rules", "profiles", "dmb"):
            source = CHECKOUT / name
            if source.is_dir():
                # compiled files come along: they are valid for equal modification times
                shutil.copytree(source, root / name)
            else:
                shutil.copy(source, root / name)
        # so does what the workflow remembers of its code, which goes by the bytes
        (root / SCRATCH).mkdir(parents=True)
        for memory in (CHECKOUT / SCRATCH).glob("code-*.json"):
            shutil.copy(memory, root / SCRATCH)
        (root / "data/suites").mkdir(parents=True)
        for name in ("contenders.toml", "providers.toml", "prices.toml", "sources.toml"):
            shutil.copy(CHECKOUT / "data" / name, root / "data" / name)
        (root / "config.yaml").write_text(CONFIG)
        # the third-party sources are not needed here, and their suites are not either
        for suite in ("alpha", "beta"):
            # one suite has a train split: training costs an import of seconds
            train = 'train = "own"\n' if suite == "beta" else ""
            (root / f"data/suites/{suite}.toml").write_text(SUITE.format(id=suite, train=train))
            labels = [{"id": c, "text": f"the colour {c}"} for c in ("red", "blue", "green")]
            (root / f"data/{suite}.labels.json").write_text(json.dumps(labels))
            for part, words in (("", "paint"), (".train", "brush")):
                rows = [
                    {"id": f"{suite}{part}-{i}", "text": f"{words} number {i} of {suite} is {c}", "label": c}
                    for i, c in enumerate(["red", "blue", "green"] * 2)
                ]
                (root / f"data/{suite}{part}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
        (root / "data/suites/order.toml").write_text(ORDER)
        return cls(root)

    def copy(self, root: Path) -> Tiny:
        """The same project elsewhere, mtimes and built files included."""
        shutil.copytree(self.root, root, symlinks=True, copy_function=shutil.copy2)
        return Tiny(root)

    def copy_of_inputs(self, root: Path) -> Tiny:
        """Data and configuration elsewhere, for code that runs in this process."""
        shutil.copytree(self.root / "data", root / "data")
        shutil.copy(self.root / "config.yaml", root)
        return Tiny(root)

    # -- changing

    def edit(self, file: str, old: str, new: str, count: int = 1) -> None:
        """Replace a text that must be there."""
        path = self.root / file
        text = path.read_text()
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, count))

    # -- starting

    def snakemake(self, *args: str, env: dict[str, str] | None = None, check: bool = True) -> Jobs:
        """Start the workflow and read what it said."""
        command = [warm.python(), "-m", "snakemake", *args]
        done = subprocess.run(
            command, cwd=self.root, env=self.environment(env), capture_output=True, text=True, check=False
        )
        output = done.stdout + done.stderr
        if check:
            assert done.returncode == 0, output[-4000:]
        return read_jobs(output, done.returncode)

    def dry(self, target: str = "results/tiny.md", *args: str) -> Jobs:
        """What would be done."""
        return self.snakemake("-n", target, *args)

    def build(self, target: str = "results/tiny.md", *args: str) -> Jobs:
        """What is done."""
        return self.snakemake(target, *args)

    def dmb(self, *args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Start a command of dmb."""
        command = [warm.python(), "-m", "dmb", *args]
        return subprocess.run(
            command, cwd=self.root, env=self.environment(env), capture_output=True, text=True, check=False
        )

    @staticmethod
    def environment(more: dict[str, str] | None = None) -> dict[str, str]:
        """The tests' environment, without what belongs to another project's start.

        Compiled modules are written, so that the many starts of a test compile the copied package once.
        """
        not_ours = ("DMB_RUN", "SNAKEMAKE_PROFILE", "PYTHONDONTWRITEBYTECODE")
        return {k: v for k, v in os.environ.items() if k not in not_ours} | (more or {})


def read_jobs(output: str, code: int) -> Jobs:
    """Jobs from Snakemake's own listing; a local rule is listed as `localrule`."""
    rules: Counter = Counter()
    cells: dict[str, set[str]] = {"ask": set(), "score": set()}
    current = None
    for line in output.splitlines():
        if (head := re.match(r"^(?:local)?rule (\w+):$", line)) is not None:
            current = head[1]
            if current not in ("all", "sources"):
                rules[current] += 1
        elif (
            w := re.match(r"^ +wildcards: contender=([\w-]+), suite=([\w-]+),", line)
        ) is not None and current in cells:
            cells[current].add(f"{w[1]}.{w[2]}")
    return Jobs(rules, frozenset(cells["ask"]), frozenset(cells["score"]), code, output)
