"""What code means, as a digest: comments, docstrings, layout and line numbers do not count."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path


def python_digest(source: str) -> str:
    """Digest of the syntax tree without docstrings; a change of one character in code changes it."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            node.body
            and isinstance(node.body[0], ast.Expr)
            and isinstance(node.body[0].value, ast.Constant)
            and isinstance(node.body[0].value.value, str)
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(_meaning(tree).encode("ascii")).hexdigest()


def _meaning(node: object) -> str:
    """Like ``ast.dump``, whose text differs between Python versions: fields that are empty or absent are left out."""
    if isinstance(node, ast.AST):
        fields = [f"{name}={_meaning(v)}" for name, v in ast.iter_fields(node) if v is not None and v != []]
        return f"{type(node).__name__}({', '.join(fields)})"
    if isinstance(node, list):
        return f"[{', '.join(map(_meaning, node))}]"
    return ascii(node)


def folder_digest(root: Path, patterns: Iterable[str], known: dict[str, str] | None = None) -> str:
    """Digest over the files below ``root`` that match any pattern: Python by meaning, others (templates) by bytes.

    ``known``: sha256 of a Python file's bytes -> its meaning; looked up first, and added to.
    """
    known = {} if known is None else known
    files = sorted({p for pattern in patterns for p in root.glob(pattern) if p.is_file()})
    h = hashlib.sha256()
    for p in files:
        data = p.read_bytes()
        meaning = hashlib.sha256(data).hexdigest()
        if p.suffix == ".py":
            if meaning not in known:
                known[meaning] = python_digest(data.decode("utf-8"))
            meaning = known[meaning]
        h.update(f"{p.relative_to(root).as_posix()}\0{meaning}\n".encode())
    return h.hexdigest()
