"""The house rules, held by reading the code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dmb.planning.keys import PUBLISHING_CODE, SCORING_CODE
from dmb.wires import WIRES
from tests.conftest import PROJECT

PACKAGE = PROJECT / "dmb"

#: A module imports only from lower ranks or from its own folder. A new module or folder is put where it belongs here.
RANKS = (
    ("errors", "canonical", "code_digest", "collector", "kernel_lock", "mounts", "process_identity", "turns"),
    ("contracts", "takeover"),
    ("metrics", "price_tiers", "price_windows", "prompting", "output_schema", "parsing", "sampling", "inputs"),
    ("suites", "wires", "baselines", "pricing"),
    ("store", "transport", "sources", "ledger"),
    ("engine", "doctor"),
    ("planning", "scoring", "merge"),
    ("compare",),
    ("publish", "simulate"),
    ("archive", "verify"),
    ("frames",),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(RANKS) for name in names}

#: Rows of texts that happen to be written in Python; they may be longer than code.
TEXTS = ("suites/cardinality_texts.py", "suites/confidence_texts.py")
LONGEST = 400

MODULES = sorted(p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*.py"))


def part(module: str) -> str:
    """The ranked name that a file belongs to: its folder, or itself at the top."""
    return module.split("/")[0].removesuffix(".py")


@cache
def tree(module: str) -> ast.Module:
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"), module)


def imports(module: str) -> Iterator[tuple[str, bool]]:
    """(dotted name, whether it is imported when the module is) for every import statement, those in functions too."""
    top = set(tree(module).body)
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            yield from ((a.name, node in top) for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"dmb/{module}: line {node.lineno}: imports are absolute"
            # `from dmb import sampling` names a module, `from dmb.canonical import digest` does not
            names = [f"{node.module}.{a.name}" for a in node.names] if node.module == "dmb" else [node.module]
            yield from ((n, node in top) for n in names)


def loaded_by(module: str) -> set[str]:
    """Names of all modules that a fresh Python holds after importing one."""
    code = f"import {module}, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PROJECT)
    return set(done.stdout.split())


def files_of(loaded: set[str]) -> set[str]:
    """Files of the package among loaded modules, relative to it."""
    names = {n.removeprefix("dmb").lstrip(".").replace(".", "/") for n in loaded if n.split(".")[0] == "dmb"}
    return {f"{n}.py" if f"{n}.py" in MODULES else f"{n}/__init__.py".lstrip("/") for n in names}


def matching(patterns) -> set[str]:
    """Files of the package that match any pattern."""
    return {p.relative_to(PACKAGE).as_posix() for pattern in patterns for p in PACKAGE.glob(pattern)}


# -- ranks


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_lower_ranks_or_its_own_folder(module):
    mine = part(module)
    if mine == "__init__":
        at_once = [name for name, at_once in imports(module) if at_once]
        assert at_once == ["__future__", "typing"], "dmb/__init__.py holds the version, and loads frames when asked"
        return
    assert mine in RANK, (
        f"dmb/{module} has no rank: put {mine!r} into RANKS of {Path(__file__).name}, as low as it can stand"
    )
    for name, _ in imports(module):
        top, _, rest = name.partition(".")
        if top != "dmb" or not rest or rest == "__version__":
            continue
        other = rest.split(".")[0]
        assert other in RANK, f"dmb/{module} imports dmb.{other}, which has no rank"
        assert other == mine or RANK[other] < RANK[mine], (
            f"dmb/{module} (rank {RANK[mine]}) imports dmb.{other} (rank {RANK[other]}): "
            "move what both need below them, or hand it over as an argument"
        )


def test_every_rank_is_of_something_that_is_there():
    assert set(RANK) <= {part(m) for m in MODULES} <= set(RANK) | {"__init__"}


def test_the_rule_of_ranks_sees_a_violation(monkeypatch):
    tree_of = ast.parse("def f():\n    from dmb.engine.cell import ask_cell\n")
    monkeypatch.setitem(globals(), "tree", lambda module: tree_of)
    with pytest.raises(AssertionError, match=r"dmb/metrics/x.py \(rank 2\) imports dmb.engine \(rank 5\)"):
        test_a_module_imports_only_from_lower_ranks_or_its_own_folder("metrics/x.py")
    with pytest.raises(AssertionError, match="has no rank: put 'new' into RANKS"):
        test_a_module_imports_only_from_lower_ranks_or_its_own_folder("new.py")


# -- modules


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_a_speaking_name_a_docstring_and_a_bearable_length(module):
    assert Path(module).stem not in {"utils", "helpers", "common", "misc", "core", "util", "helper"}
    assert ast.get_docstring(tree(module)), f"dmb/{module}: say in one line what the module is"
    length = len((PACKAGE / module).read_text(encoding="utf-8").splitlines())
    assert length <= LONGEST or module in TEXTS, f"dmb/{module} has {length} lines: split it"


@pytest.mark.parametrize("module", TEXTS)
def test_what_may_be_longer_is_texts(module):
    code = [n for n in ast.walk(tree(module)) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    assert sum(n.end_lineno - n.lineno + 1 for n in code) < 80


def nameless(module: str) -> Iterator[str]:
    """Public functions, classes and methods without a docstring; what overrides a library's method needs none."""

    def visit(body, inside: str):
        for node in body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("_"):
                continue
            if not ast.get_docstring(node):
                yield f"{inside}{node.name} (line {node.lineno})"
            if isinstance(node, ast.ClassDef):
                yield from visit(node.body, f"{node.name}.")

    yield from visit(tree(module).body, "")


@pytest.mark.parametrize("module", MODULES)
def test_what_is_public_has_a_docstring(module):
    assert list(nameless(module)) == []


def test_except_exception_stands_at_most_once_and_only_in_the_lane():
    found = []
    for module in MODULES:
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.ExceptHandler):
                caught = [node.type] if not isinstance(node.type, ast.Tuple) else node.type.elts
                if any(c is None or getattr(c, "id", "") in ("Exception", "BaseException") for c in caught):
                    found.append(module)
    assert found in ([], ["engine/lane.py"])


# -- what is loaded


@pytest.mark.parametrize("module", [m for m in MODULES if part(m) == "metrics"])
def test_metrics_know_numpy_and_the_standard_library_only(module):
    for name, _ in imports(module):
        top = name.split(".")[0]
        assert top in {"numpy", *sys.stdlib_module_names} or name.startswith("dmb.metrics"), name
        assert top != "random", "metrics never make their own generator"


def test_asking_loads_no_heavy_library():
    loaded = loaded_by("dmb.engine.cell")
    assert "dmb.engine.cell" in loaded
    assert not loaded & {
        "httpx",
        "typer",
        "asyncio",
        "matplotlib",
        "pandas",
        "sklearn",
        "scipy",
        "numpy",
        "onnxruntime",
        "jinja2",
        "snakemake",
    }


def test_importing_dmb_loads_nothing():
    assert {m for m in loaded_by("dmb") if m.split(".")[0] in {"dmb", "pandas", "numpy", "pydantic"}} == {"dmb"}


def test_reading_the_workflow_loads_no_heavy_library():
    loaded = loaded_by("dmb.planning.driver")
    assert "dmb.planning.driver" in loaded
    assert not loaded & {"numpy", "matplotlib", "pandas", "sklearn", "scipy", "onnxruntime", "jinja2", "snakemake"}


# -- code that is part of keys

#: Loaded by scoring, and no number depends on it: empty packages, the words of errors, where files lie and how they get
#: there, the table of wires. What reads one wire's replies is in the key of that wire's cells (test below).
NO_NUMBER = {
    *("__init__.py", "engine/__init__.py", "store/__init__.py", "wires/__init__.py", "errors.py"),
    *("store/layout.py", "store/files.py", "store/receipts.py", "store/evidence_root.py", "store/redactions.py"),
    *("store/row_bytes.py", "wires/exchange.py"),
}


def test_the_score_key_covers_the_code_that_scores():
    loaded = files_of(loaded_by("dmb.scoring.cell_score"))
    assert "scoring/cell_score.py" in loaded
    readers = {
        "wires/in_process.py",
        *(f"{w.read.__module__.removeprefix('dmb.').replace('.', '/')}.py" for w in WIRES.values()),
    }
    extra = loaded - matching(SCORING_CODE) - NO_NUMBER - readers
    assert not extra, (
        f"{sorted(extra)}: put into SCORING_CODE of planning/keys.py, or into NO_NUMBER here with its reason"
    )


def test_a_reader_of_replies_stands_in_one_file_which_the_score_key_takes(monkeypatch):
    """What a wire's module imports from its folder must be in the key as well."""
    covered = {"wires/exchange.py", *matching(SCORING_CODE)}
    for reader in ("wires/in_process.py", *(f"{w.read.__module__[4:].replace('.', '/')}.py" for w in WIRES.values())):
        needed = {f"{n[4:].replace('.', '/')}.py" for n, _ in imports(reader) if n.startswith("dmb.")}
        assert needed <= covered, f"{reader} reads with {sorted(needed - covered)}, which scoring_code() does not cover"


def test_the_release_key_covers_the_code_that_publishes():
    loaded = files_of(loaded_by("dmb.publish.write"))
    assert "publish/write.py" in loaded
    # an error's wording is on no page, and there is nothing in an empty package
    extra = (
        loaded - matching(PUBLISHING_CODE) - {"__init__.py", "scoring/__init__.py", "store/__init__.py", "errors.py"}
    )
    assert not extra, f"{sorted(extra)}: put into PUBLISHING_CODE of planning/keys.py"
    assert {p for p in matching(PUBLISHING_CODE) if p.endswith((".j2", ".css"))} == {
        p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*") if p.suffix in (".j2", ".css")
    }


def test_every_pattern_of_a_code_digest_matches_something():
    for pattern in (*SCORING_CODE, *PUBLISHING_CODE):
        assert matching([pattern]), pattern


# -- rules


def rules() -> dict[str, str]:
    """Name -> text of every rule in rules/*.smk and the Snakefile."""
    found: dict[str, str] = {}
    for path in (PROJECT / "Snakefile", *sorted((PROJECT / "rules").glob("*.smk"))):
        text = path.read_text(encoding="utf-8")
        for block in re.split(r"^(?=\S)", text, flags=re.M):
            if named := re.match(r"(?:rule|checkpoint) (\w+):", block):
                found[named[1]] = block
    return found


def test_the_rules_are_found():
    assert {"all", "ask", "score", "publish", "items", "source"} <= set(rules())


@pytest.mark.parametrize("name, text", rules().items(), ids=rules())
def test_a_rule_is_one_shell_line_that_calls_dmb_and_has_a_log(name, text):
    assert not re.search(r"^\s+(run|script|notebook|wrapper):", text, re.M), f"rule {name}: a shell line, please"
    assert not text.startswith("checkpoint")
    if re.search(r"^\s+shell:", text, re.M):
        assert re.search(r"^\s+log:", text, re.M), f"rule {name} has no log"
        command = re.sub(r"^\s*#.*\n", "", text.partition("shell:")[2].lstrip(), flags=re.M).strip()
        assert command.startswith('"{PYTHON:q} -m dmb ') and command.count("\n") == 0, f"rule {name}: {command}"
        assert "{log}" in command
