"""Sealed releases as the planning sees them: never built again, and a source of answers that need not be asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dmb.contracts.release import ReleaseDocument
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.planning.keys import changed_parts, looks_of, publishing_code, scoring_code, scoring_policy
from dmb.planning.plan import PlannedCell, PlannedRelease, Planner
from dmb.store.files import load_json
from dmb.store.layout import RESULTS

#: A sealed release is named after its draft, with numbers behind a dot: v2.0, quickstart.1, v2.0.1.
_NAME = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)((?:\.[0-9]+)+)")

#: The published files of every release, before which its name stands.
_ENDINGS = (".md", ".html", ".cells.json")


class Offer(NamedTuple):
    """Cells that would be asked, and whose answers lie in the archive of a sealed release."""

    release: str
    archive: Path
    cells: tuple[PlannedCell, ...]

    def __str__(self) -> str:
        n = len(self.cells)
        which = ", ".join(f"{c.contender} x {c.suite}" for c in self.cells[:3]) + (" …" if n > 3 else "")
        return (
            f"{self.archive} holds the answers of {n} cell{'' if n == 1 else 's'} that would be asked ({which}); "
            f"`dmb restore {self.archive}` takes them over"
        )


def draft_of(name: str) -> str | None:
    """The draft that a sealed release is named after; None for a name that is none of a sealed release."""
    found = _NAME.fullmatch(name)
    return found[1] if found else None


def version_of(name: str) -> tuple[int, ...]:
    """The numbers behind a sealed release's name, to be ordered by."""
    found = _NAME.fullmatch(name)
    return tuple(int(n) for n in found[2].split(".")[1:]) if found else ()


def sealed_releases() -> list[str]:
    """Names of the sealed releases, in their order; a file named so and no document is none of them."""
    found = [p.parent.name for p in RESULTS.glob("*/release.json") if draft_of(p.parent.name)]
    return sorted(found, key=lambda name: (draft_of(name), version_of(name)))


def offers(cells: Iterable[PlannedCell]) -> list[Offer]:
    """Which sealed releases hold the answers of cells that would be asked, newest first; each cell once."""
    left = {c.key: c for c in cells if c.asks}
    found = []
    for name in reversed(sealed_releases()) if left else ():
        archive = RESULTS / f"{name}.archive.tar.xz"
        if archive.exists():
            held = {c["cell_key"] for c in _document(name).get("cells", ()) if c.get("raw") is not None}
            if mine := [c for key, c in left.items() if key in held]:
                found.append(Offer(name, archive, tuple(mine)))
                left = {key: c for key, c in left.items() if key not in held}
    return found


def _document(name: str) -> Mapping[str, Any]:
    try:
        found = load_json(RESULTS / name / "release.json")
    except (DamagedFile, OSError):
        return {}
    return found if isinstance(found, dict) else {}


def check_sealed(planner: Planner, name: str) -> None:
    """A sealed release is asked for. Raises ``DmbError`` with what has changed since, or with the files that are missing."""
    files = [RESULTS / f"{name}{ending}" for ending in _ENDINGS]
    if missing := [str(path) for path in files if not path.exists()]:
        raise MissingEvidence(
            f"{missing[0]}: is not here, and a sealed release is never made again; `git checkout -- {missing[0]}`"
        )
    if changes := changes_since(planner, name):
        raise DmbError(
            f"{name} is sealed and stays as it is; changed since: {'; '.join(changes)}; next: `snakemake results/{draft_of(name)}.md`, "
            f"then `dmb seal {draft_of(name)} --as {next_name(name)}`"
        )


def refuse_sealed(releases: Iterable[str]) -> None:
    """Before a publishing job begins. Raises ``DmbError`` for a sealed release, whose files the workflow would delete."""
    for name in releases:
        if draft_of(name) is not None:
            raise DmbError(f"{name} is sealed, and forcing does not make it again; build {draft_of(name)!r}")


def next_name(name: str) -> str:
    """The name under which a draft is sealed after this one."""
    same = [n for n in sealed_releases() if draft_of(n) == draft_of(name)]
    *rest, last = max((version_of(n) for n in (*same, name)), default=(0,))
    return f"{draft_of(name)}." + ".".join(map(str, (*rest, last + 1)))


def changes_since(planner: Planner, name: str) -> list[str]:
    """What of a sealed release would come out otherwise now, in words; empty where nothing would."""
    try:
        document = ReleaseDocument.model_validate(_document(name))
    except ValueError:
        raise DamagedFile(
            f"{RESULTS / name / 'release.json'}: is damaged; `git checkout -- {RESULTS / name}`"
        ) from None
    draft = draft_of(name) or ""
    if draft not in planner.project.config.releases:
        return [f"{draft} is no longer in config.yaml"]
    planned = planner.release(draft)
    if planned.key == document.key:
        return []
    if planned.unknown:
        return [f"items of {suite} ({mend})" for suite, mend in planned.unknown.items()]
    return list(
        dict.fromkeys(
            (*_members(document, planned), *_of_cells(planner, document, planned), *_looks(planner, document, planned))
        )
    )


def _members(document: ReleaseDocument, planned: PlannedRelease) -> Iterable[str]:
    pairs = (
        ("suite", [e.suite.id for e in document.suites], [c.suite for c in planned.cells]),
        ("contender", [e.id for e in document.contenders], [c.contender for c in planned.cells]),
    )
    for what, old, new in pairs:
        yield from (f"{what} {n} is new" for n in dict.fromkeys(new) if n not in old)
        yield from (f"{what} {n} is gone" for n in old if n not in new)


def _of_cells(planner: Planner, document: ReleaseDocument, planned: PlannedRelease) -> Iterable[str]:
    sealed = {(c.contender, c.suite): c for c in document.cells}
    entries = {e.id: e.entry for e in document.contenders}
    suites = {e.suite.id: e.suite for e in document.suites}
    for cell in planned.cells:
        old = sealed.get((cell.contender, cell.suite))
        if old is None:
            continue
        if old.cell_key != cell.key:
            yield from _of_key(cell, old.receipt, old.items_sha256)
        elif old.receipt_number != cell.number:
            yield f"{cell.contender} x {cell.suite} has another receipt"
        if [document.prices[n] for n in old.prices] != list(planner.project.price_rows(cell.contender)):
            yield f"prices of {entries[cell.contender].model}"
        if scoring_policy(suites[cell.suite]) != scoring_policy(planner.project.suites[cell.suite]):
            yield f"how {cell.suite} is scored"
        if old.scoring_code != scoring_code(cell.job["parts"]["asker"]["name"]):
            yield "scoring code"


def _of_key(cell: PlannedCell, receipt: str, items: str) -> Sequence[str]:
    """The parts of a cell's key, as far as its receipt is here to tell."""
    if Path(receipt).exists():
        return [
            f"{part} of {cell.contender} x {cell.suite}"
            for part in changed_parts(load_json(Path(receipt))["parts"], cell.job["parts"])
        ]
    if items != cell.job["items"]["sha256"]:
        return [f"items of {cell.suite}"]
    return [f"what {cell.contender} x {cell.suite} is asked with"]


def _looks(planner: Planner, document: ReleaseDocument, planned: PlannedRelease) -> Iterable[str]:
    project = planner.project
    suites = dict.fromkeys(c.suite for c in planned.cells)
    contenders = dict.fromkeys(c.contender for c in planned.cells)
    old = looks_of(
        document.title,
        {e.suite.id: e.suite for e in document.suites},
        {e.id: e.entry for e in document.contenders},
        document.sources,
    )
    new = looks_of(
        planned.spec.title,
        {s: project.suites[s] for s in suites},
        {c: project.contenders[c] for c in contenders},
        project.sources,
    )
    for part in changed_parts(
        old | {"contenders": dict(old["contenders"])}, new | {"contenders": dict(new["contenders"])}
    ):
        yield f"how it is shown: {part}"
    if document.publishing_code != publishing_code():
        yield "publishing code"
