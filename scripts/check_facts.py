"""Check every number in prose against the cell that it comes from.

    python scripts/check_facts.py [FILE.md …]        (default: README.md and results/*/FINDINGS.md)

A number in prose is a link whose target is a cell of a release's page and whose title says where in the cells file it
stands: ``[82.3 %](../v2.0.html#cell/keyword/intent-77 "metrics/accuracy_valid/value")``. Other targets on the page have
a title that begins at the top of the cells file. In a list, ``name=value,other=value`` picks the entry. The number is
compared as it is written: with its decimals, ``%`` and ``points`` times a hundred. In a FINDINGS.md, every number must be
such a link, but for those in code, headings and names. Ends with 1 and one line for each fault.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]

_FACT = re.compile(r'\[([^\]]*)\]\(([^)\s]*\.html)(#[^)\s]*)? "([^"]*)"\)')
_NUMBER = re.compile(r"[-+−]?[0-9][0-9,]*(\.[0-9]+)?")
#: What is no prose: fenced and inline code, headings, link targets.
_NO_PROSE = re.compile(r"```.*?```|`[^`]*`|^#.*?$|\]\([^)]*\)", re.DOTALL | re.MULTILINE)
#: A digit that belongs to no word.
_LOOSE = re.compile(r"(?<![\w.\-])[-+−]?[0-9](?:[0-9,.]*[0-9])?(?!\w)")


class NoFact(ValueError):
    """A fact that cannot be looked up, or that says something else; the message says what."""


def looked_up(document: Any, path: str) -> Any:
    """The value at a path such as ``cells/contender=keyword,suite=intent-77/n_expected``. Raises ``NoFact``."""
    at = document
    for part in path.split("/"):
        if isinstance(at, list):
            wanted = dict(pair.split("=", 1) for pair in part.split(",") if "=" in pair)
            found = [e for e in at if wanted and all(str(e.get(name)) == value for name, value in wanted.items())]
            if len(found) != 1:
                raise NoFact(f"{part!r} names {len(found)} entries")
            at = found[0]
        elif isinstance(at, dict) and part in at:
            at = at[part]
        else:
            raise NoFact(f"there is no {part!r}")
    return at


def spelled_like(text: str, value: Any) -> str:
    """The value as the text spells its number: as many decimals, the same sign and unit. Raises ``NoFact``."""
    number = _NUMBER.search(text)
    if number is None:
        raise NoFact("there is no number in it")
    if value is None or isinstance(value, bool | dict | list):
        raise NoFact(f"the cells file says {value!r}, which is no number")
    try:
        exact = Decimal(str(value))
    except ArithmeticError:
        raise NoFact(f"the cells file says {value!r}, which is no number") from None
    if re.search(r"%|points?\b", text):
        exact *= 100
    decimals = len(number[1] or ".") - 1
    rounded = exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)
    sign = "+" if number[0].startswith("+") and rounded >= 0 else ""
    said = (
        f"{sign}{rounded:,.{decimals}f}"
        if "," in number[0] or abs(rounded) >= 1000
        else f"{sign}{rounded:.{decimals}f}"
    )
    said = said.replace("-", "−") if "−" in number[0] else said
    return text[: number.start()] + said + text[number.end() :]


@cache
def _cells(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def faults(path: Path) -> Iterator[str]:
    """One line for each number of the file that is not what its cell says, or that has no cell."""
    text = path.read_text(encoding="utf-8")
    n_facts = 0
    for fact in _FACT.finditer(text):
        said, page, anchor, where = fact[1], fact[2], fact[3] or "", fact[4]
        n_facts += 1
        cells = (path.parent / page).with_suffix(".cells.json")
        try:
            if not cells.exists():
                raise NoFact(f"{cells} is not here")
            if anchor.startswith("#cell/"):
                contender, suite = anchor.removeprefix("#cell/").split("/", 1)
                where = f"cells/contender={contender},suite={suite}/{where}"
            right = spelled_like(said, looked_up(_cells(cells), where))
            if right != said:
                raise NoFact(f"should be {right!r}")
        except NoFact as e:
            yield f"{path}:{text.count(chr(10), 0, fact.start()) + 1}: {said!r} ({where}): {e}"
    if path.name == "FINDINGS.md":
        prose = _NO_PROSE.sub(lambda m: "\n" * m[0].count("\n"), _FACT.sub("", text))
        for loose in _LOOSE.finditer(prose):
            line = prose.count("\n", 0, loose.start()) + 1
            yield f"{path}:{line}: {loose[0]!r} has no cell; make it a link with a title, or code if it is a name"
        if n_facts == 0:
            yield f"{path}: has no fact"


def main() -> None:
    """Check the files that are named, or those of the project."""
    named = [Path(name) for name in sys.argv[1:]]
    files = named or [PROJECT / "README.md", *sorted((PROJECT / "results").glob("*/FINDINGS.md"))]
    found = [line for path in files for line in faults(path)]
    for line in found:
        print(line, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
