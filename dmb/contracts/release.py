"""``results/<release>/release.json``: all that a release is published from, the evidence itself apart."""

from __future__ import annotations

from dataclasses import field

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from dmb.contracts import config
from dmb.contracts.contender import Contender
from dmb.contracts.frozen import Frozen, Sha256, Slug
from dmb.contracts.price import PriceRow
from dmb.contracts.source import Source
from dmb.contracts.suite import SuiteFile

_CLOSED = ConfigDict(extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, config=_CLOSED)
class Deviation:
    """What was done otherwise than the protocol says, why, and in which runs."""

    what: str
    why: str
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, config=_CLOSED)
class Machine:
    """On what a run was made; None where that was not recorded."""

    cpu_count: int | None = None
    platform: str | None = None


@dataclass(frozen=True, config=_CLOSED)
class RunFacts:
    """One run that gave evidence, by facts that do not change any more: a release may be published while it still runs.

    Times are ISO 8601; spend and caps are in decimal strings, None where they are unknown.
    """

    id: str
    started_at: str
    versions: dict[str, str]
    spend_usd: dict[str, str | None]
    budget_usd: dict[str, str | None] = field(default_factory=dict)
    machine: Machine = field(default_factory=Machine)


class SuiteEntry(Frozen):
    """A suite as it was parsed, and the question that it asks, which it may have from another one."""

    suite: SuiteFile
    instructions: str
    prompt_version: int


class ContenderEntry(Frozen):
    """A contender as it was parsed."""

    id: Slug
    entry: Contender


class AskedOtherwise(Frozen):
    """In a merge of different protocols: what a cell was asked, and of which entry, where the tables name another one's."""

    instructions: str
    prompt_version: int
    entry: Contender


class EvidenceCell(Frozen):
    """One cell: where its evidence is, and what its numbers are made of. Paths are relative to the project's folder.

    ``prices``: places in the document's ``prices``. ``compared``: receipt of the cell that this one is compared with.
    ``raw``: None where nothing was asked. ``scoring_code``: digest of the code that scored it.
    """

    contender: Slug
    suite: Slug
    cell_key: Sha256
    receipt: str
    receipt_number: int
    receipt_sha256: Sha256
    run: str
    items: str
    items_sha256: Sha256
    raw: str | None
    raw_sha256: Sha256 | None
    prices: tuple[int, ...]
    compared: str | None
    scoring_code: Sha256
    score_key: Sha256
    asked: AskedOtherwise | None = None
    other_prices: tuple[int, ...] | None = None


class ReleaseDocument(Frozen):
    """Suites, contenders and cells stand in the release's order; cells suite by suite.

    ``sources``: those that its suites name for attribution. ``files``: path -> sha256 of what lies beside the logs and never
    changes. ``tables``: the same of tables that people may edit later. ``libraries``: versions of what computes and draws.
    ``other_prices``: rows of the other price table where it differs: the runs' own for a draft, today's for merged runs.
    ``command``: what makes these files again from the evidence, where that is not the workflow.
    ``sha256``: over the canonical JSON of all other fields.
    """

    name: str
    key: Sha256
    title: str
    spec: config.Release
    protocol_version: int
    dmb_version: str
    suites: tuple[SuiteEntry, ...]
    contenders: tuple[ContenderEntry, ...]
    cells: tuple[EvidenceCell, ...]
    prices: tuple[PriceRow, ...]
    sources: dict[str, Source]
    deviations: tuple[Deviation, ...]
    runs: tuple[RunFacts, ...]
    files: dict[str, Sha256]
    tables: dict[str, Sha256]
    publishing_code: Sha256
    libraries: dict[str, str | None]
    command: str | None = None
    other_prices: tuple[PriceRow, ...] = ()
    sha256: Sha256
