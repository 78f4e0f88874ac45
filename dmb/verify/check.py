"""``dmb verify``: from raw bytes to every published number, trusting nothing that was derived. Offline, writes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from dmb.contracts.cell import Score
from dmb.contracts.release import ReleaseDocument
from dmb.errors import DamagedFile, DmbError, UsageError
from dmb.planning.keys import publishing_code, scoring_code
from dmb.publish.document import load_document, question_of
from dmb.publish.rebuild import other_rows, release_of
from dmb.publish.write import RELEASE_JSON, rendered
from dmb.scoring.cell_score import score_evidence
from dmb.scoring.evidence import Evidence, open_evidence
from dmb.store.evidence_root import EvidenceRoot
from dmb.verify.claims import check_claims
from dmb.verify.evidence import Checked, check_evidence
from dmb.verify.findings import Verification
from dmb.verify.published import Render, check_published
from dmb.verify.requests import Requests
from dmb.verify.sealed import check_manifest

#: Called with what is being done, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]


def document_path(release: str, results: Path) -> Path:
    """Where the document of a release lies. Raises ``UsageError`` where there is none."""
    path = results / release / RELEASE_JSON
    if not path.exists():
        raise UsageError(f"{path}: is not here; `snakemake results/{release}.md` publishes the release with it")
    return path


def verify_release(
    release: str,
    results: Path,
    root: EvidenceRoot,
    progress: Progress = lambda what, done, of: None,
    render: Render = rendered,
) -> Verification:
    """Everything that is wrong with a published release, and how much was looked at. Raises ``UsageError`` without one."""
    seen = _verify(release, results, root, progress, render)
    check_manifest(release, results, seen)
    return seen


def _verify(release: str, results: Path, root: EvidenceRoot, progress: Progress, render: Render) -> Verification:
    path = document_path(release, results)
    named = f"results/{release}/{RELEASE_JSON}"
    seen = Verification(release)
    try:
        document = load_document(path)
    except DamagedFile as e:
        seen.add(named, str(e).partition(f"{path}: ")[2], _cells_named_in(path))
        seen.notes.append("without its release document nothing else of this release can be held to its evidence")
        return seen
    if document.name != release:
        seen.add(named, f"is that of release {document.name}")
        return seen
    progress("evidence", 0, 1)
    checked = check_evidence(document, root, seen)
    check_claims(document, named, checked.receipts, root, seen)
    _note_code(document, seen)
    scores = _score(document, checked, root, seen, progress)
    if len(scores) < len(document.cells):
        seen.notes.append(
            f"{len(document.cells) - len(scores)} cells cannot be scored, so the published files were not made again"
        )
        return seen
    progress("published files", 0, 1)
    receipts = {cell.cell_key: checked.receipts[cell.receipt] for cell in document.cells}
    try:
        made = release_of(document, scores, receipts, root)
    except DmbError as e:
        # the file itself has been named among the evidence
        seen.notes.append(f"{e}; so the published files were not made again")
        return seen
    check_published(made, document, results, seen, render)
    return seen


def _score(
    document: ReleaseDocument, checked: Checked, root: EvidenceRoot, seen: Verification, progress: Progress
) -> list[Score]:
    """Scores of the cells whose evidence is as it was; where that does not score, it is written down."""
    suites = {entry.suite.id: entry for entry in document.suites}
    requests = Requests(root, seen)
    opened: dict[str, Evidence] = {}
    references = {cell.compared for cell in document.cells}
    scores = []
    seen.n_cells = len(document.cells)
    for done, cell in enumerate(document.cells):
        progress("cells", done, len(document.cells))
        who = (cell.contender, cell.suite)
        if who in checked.damaged:
            continue
        suite = suites[cell.suite]
        try:
            evidence = open_evidence(Path(cell.receipt), suite.suite.slots, root)
            if cell.receipt in references:
                opened[cell.receipt] = evidence
            compared = None
            if cell.compared is not None:
                compared = opened.get(cell.compared) or open_evidence(Path(cell.compared), suite.suite.slots, root)
            prices = [document.prices[place] for place in cell.prices]
            others = other_rows(document, cell)
            scores.append(score_evidence(evidence, suite.suite, prices, compared, cell.score_key, root, others))
        except (DmbError, ValueError, KeyError) as e:
            # a log with the recorded digest that cannot be read was written so
            seen.add(cell.raw or cell.receipt, f"cannot be scored: {e}", [who])
            continue
        seen.n_cells_scored += 1
        seen.n_rows += len(evidence.rows)
        seen.n_attempts += sum(len(row.attempts) for row in evidence.rows)
        requests.check(who, evidence, question_of(document, cell))
    return scores


def _note_code(document: ReleaseDocument, seen: Verification) -> None:
    """Where today's code is not the one that made the release, its numbers may differ for that alone."""
    here = {cell.scoring_code for cell in document.cells} <= _scoring_codes()
    if not here or document.publishing_code != publishing_code():
        seen.other_code = True
        what = "published" if here else "scored"
        seen.notes.append(f"the release was {what} by other code than this (DMB {document.dmb_version})")


def _scoring_codes() -> set[str]:
    from dmb.baselines import BASELINES
    from dmb.wires import WIRES

    return {scoring_code(f"wire:{name}") for name in WIRES} | {scoring_code(f"baseline:{name}") for name in BASELINES}


def _cells_named_in(path: Path) -> list[tuple[str, str]]:
    """Cells of a document that is damaged, as far as it can be read."""
    try:
        cells = json.loads(path.read_bytes())["cells"]
        return [(str(cell["contender"]), str(cell["suite"])) for cell in cells]
    except (ValueError, KeyError, TypeError):
        return []
