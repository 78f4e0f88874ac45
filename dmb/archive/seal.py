"""Sealing: a draft's files once more under a name that never changes, with its archive and the digests of everything."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dmb.archive.corrections import CORRECTIONS, changes_between, corrections_md
from dmb.archive.make import archive_bytes, search_of
from dmb.archive.restore import archive_of
from dmb.canonical import sha256_hex
from dmb.contracts.notes import Correction, CorrectionsFile, Note, NotesFile
from dmb.contracts.release import ReleaseDocument
from dmb.errors import DmbError, InputError, MissingEvidence, UsageError
from dmb.inputs import parse_toml, validate
from dmb.planning.plan import Planner
from dmb.planning.project import PRICES, load_project
from dmb.planning.sealed import draft_of, next_name, sealed_releases
from dmb.publish.assemble import make_document
from dmb.publish.document import document_bytes, load_document, signed
from dmb.publish.rebuild import rebuild, rescored
from dmb.publish.release import Release
from dmb.publish.sanity import Line
from dmb.publish.write import RELEASE_JSON, rendered
from dmb.store.digest_list import MANIFEST, manifest_bytes
from dmb.store.files import load_json, write_whole
from dmb.store.layout import RESULTS

NOTES = "data/notes.toml"

#: Of a draft's document these must be what its inputs give now.
_MADE_OF = ("key", "spec", "suites", "contenders", "cells", "prices", "sources")

#: In the folder of a sealed release: what was looked at before sealing, and what corrects an earlier one.
_NOTES_MD, _CORRECTIONS_MD = "NOTES.md", "CORRECTIONS.md"


def seal(draft: str, name: str, extra: Sequence[Path] = ()) -> list[Path]:
    """Freeze a built draft as ``name``; ``extra``: further pages that are published with it. Returns the files' paths.

    Everything is made anew from the evidence, and compared with the draft as it lies there. Raises ``UsageError`` for a
    name that is none or is taken, ``InputError`` for a finding without explanation or a changed number without its defect,
    and ``DmbError`` where the draft is not what its inputs and its evidence give.
    """
    _check_name(draft, name)
    document = _current(draft)
    score_of = cache(rescored(document))
    release = rebuild(document, score_of=score_of)
    _check_draft(release, document)
    if release.simulated:
        raise UsageError(f"{draft} holds simulated answers, which are no evidence; seal what was really asked")
    notes = explanations(release.sanity_lines, _notes(), draft)
    # a sealed release keeps the table that it was priced with
    prices = Path(PRICES).read_bytes()
    tables = {str(RESULTS / name / Path(PRICES).name): prices}
    told = {path: sha256_hex(data) for path, data in tables.items()}
    sealed = signed(**{**dict(document), "name": name, "tables": told})
    shown = rendered(rebuild(sealed, score_of=score_of))
    files = {f"{name}/{path.name}": _extra(path) for path in extra}
    written = document_bytes(sealed)
    files |= {f"{name}/{RELEASE_JSON}": written, f"{name}/{Path(PRICES).name}": prices, **shown}
    if notes:
        files[f"{name}/{_NOTES_MD}"] = _notes_md(name, notes).encode("utf-8")
    if (old := _before(name)) is not None:
        page = _corrections(old, name, json.loads(shown[f"{name}.cells.json"]))
        files[f"{name}/{_CORRECTIONS_MD}"] = page.encode("utf-8")
    _check_texts(sealed, files)
    files[archive_of(name).name] = archive_bytes(sealed, written, private=False, tables=tables)
    files[f"{name}/{MANIFEST}"] = manifest_bytes({n: sha256_hex(data) for n, data in files.items()})
    return _put(name, files)


def write_corrections(old: str, new: str) -> Path | None:
    """``results/<new>/CORRECTIONS.md``, for a draft; of a sealed release it is compared with the one that it was sealed with.

    None where that is so. Raises ``MissingEvidence`` for a release that is not there, ``InputError`` for a number that
    changed without a defect, and ``UsageError`` where a sealed release would have to change.
    """
    page = _corrections(old, new, _cells(new)).encode("utf-8")
    path = RESULTS / new / _CORRECTIONS_MD
    if draft_of(new) is None:
        write_whole(path, page)
        return path
    if not path.exists() or path.read_bytes() != page:
        raise UsageError(
            f"{new} is sealed, and its corrections cannot be written any more; mend {CORRECTIONS}, and seal the draft as "
            f"{next_name(new)}"
        )
    return None


# -- before


def _check_name(draft: str, name: str) -> None:
    if draft_of(draft) is not None:
        raise UsageError(f"{draft} is sealed already; seal a draft of config.yaml")
    if draft_of(name) != draft:
        raise UsageError(f"--as: {name!r} is no name for {draft} sealed; use {next_name(f'{draft}.0')!r} or the like")
    if taken := sorted(RESULTS.glob(f"{name}.[!0-9]*")) or [p for p in (RESULTS / name,) if p.exists()]:
        raise UsageError(
            f"--as: {taken[0]} is there, and a sealed release never changes; seal {draft} as {next_name(name)!r}"
        )


def _current(draft: str) -> ReleaseDocument:
    """The draft's document. Raises ``DmbError`` unless it is what its inputs give now."""
    project = load_project()
    planned = Planner(project).release(draft)
    build = f"`snakemake results/{draft}.md` first"
    if planned.unknown:
        raise DmbError(f"{draft}: " + " · ".join(planned.unknown.values()))
    path = RESULTS / draft / RELEASE_JSON
    if not path.exists():
        raise MissingEvidence(f"{draft} is not published; {build}")
    document = load_document(path)
    now = None if planned.publishes else make_document(project, planned)
    if now is None or any(getattr(document, name) != getattr(now, name) for name in _MADE_OF):
        raise DmbError(f"{draft} was published from other inputs than there are now; {build}")
    return document


def _check_draft(release: Release, document: ReleaseDocument) -> None:
    for name, data in rendered(release).items():
        path = RESULTS / name
        if not path.exists() or path.read_bytes() != data:
            raise DmbError(
                f"{path}: is not what the evidence gives; delete {RESULTS / document.name}.md, publish it again, and look at it"
            )


def explanations(lines: Sequence[Line], notes: Sequence[Note], draft: str) -> list[tuple[Line, str]]:
    """Each finding that asks for a look, with its explanation. Raises ``InputError`` for one without."""
    known = {(n.check, n.finding): n.explanation for n in notes if n.release == draft}
    asked = [line for line in lines if line.verdict == "look"]
    missing = [line for line in asked if (line.check, line.text) not in known]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        first = missing[0]
        raise InputError(
            NOTES,
            f"release {draft}",
            f"check {json.dumps(first.check)} has a finding without explanation: {json.dumps(first.text, ensure_ascii=False)}{more}",
            "look at it, and add a [[note]] with release, check, finding and explanation",
        )
    return [(line, known[line.check, line.text]) for line in asked]


def _notes() -> tuple[Note, ...]:
    return _table(NotesFile, NOTES).note


def _table(model: Any, file: str) -> Any:
    """A table that people write; an absent one is empty."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        return model()
    except UnicodeDecodeError as e:
        raise InputError(file, "", f"is no UTF-8 text (byte {e.start})", "save it as UTF-8") from None
    return validate(model, parse_toml(text, file), file, text)


def _extra(path: Path) -> bytes:
    if path.suffix != ".md" or path.name in (_NOTES_MD, _CORRECTIONS_MD, "ATTRIBUTION.md"):
        raise UsageError(f"--with: {path} is no page of your own; give a Markdown file under another name")
    try:
        return path.read_bytes()
    except OSError:
        raise UsageError(f"--with: {path} is not here") from None


def _notes_md(name: str, notes: Sequence[tuple[Line, str]]) -> str:
    rows = "\n".join(f"* **{line.check}**: {line.text}\n  {text.strip()}" for line, text in notes)
    return f"# What was looked at before {name} was sealed\n\nFindings of the sanity checks that asked for a look, and what came of it.\n\n{rows}\n"


# -- corrections


def _before(name: str) -> str | None:
    """The newest sealed release of the same draft; None where this is the first."""
    same = [n for n in sealed_releases() if draft_of(n) == draft_of(name) and n != name]
    return same[-1] if same else None


def _corrections(old: str, new: str, after: Mapping[str, Any]) -> str:
    corrections: tuple[Correction, ...] = _table(CorrectionsFile, CORRECTIONS).correction
    mine = [c for c in corrections if c.old == old]
    return corrections_md(old, new, changes_between(_cells(old), after), mine)


def _cells(release: str) -> dict[str, Any]:
    path = RESULTS / f"{release}.cells.json"
    if not path.exists():
        raise MissingEvidence(f"{path}: is not here; name two releases that are published")
    return load_json(path)


# -- after


def _check_texts(document: ReleaseDocument, files: Mapping[str, bytes]) -> None:
    search = search_of(document)
    for name, data in files.items():
        if search is not None and (found := search.first_in(data)) is not None:
            raise DmbError(
                f"{RESULTS / name}: holds {json.dumps(found[:40])}…, part of a text that its suite may not show; nothing was sealed"
            )


def _put(name: str, files: Mapping[str, bytes]) -> list[Path]:
    """Everything is made aside; the folder, then the files, the report last."""
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=RESULTS) as folder:
        aside = Path(folder)
        for file, data in files.items():
            path = aside / file
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        (aside / name).chmod(0o755)
        (aside / name).rename(RESULTS / name)
        for file in sorted((f for f in files if "/" not in f), key=lambda f: f.endswith(".md")):
            shutil.move(aside / file, RESULTS / file)
    return [RESULTS / file for file in sorted(files)]
