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
            node.body[0].value.value = ""
    return hashlib.sha256(ast.dump(tree).encode("utf-8")).hexdigest()


def folder_digest(root: Path, patterns: Iterable[str]) -> str:
    """Digest over the files below ``root`` that match any pattern: Python by meaning, others (templates) by bytes."""
    files = sorted({p for pattern in patterns for p in root.glob(pattern) if p.is_file()})
    h = hashlib.sha256()
    for p in files:
        data = p.read_bytes()
        meaning = python_digest(data.decode("utf-8")) if p.suffix == ".py" else hashlib.sha256(data).hexdigest()
        h.update(f"{p.relative_to(root).as_posix()}\0{meaning}\n".encode())
    return h.hexdigest()
