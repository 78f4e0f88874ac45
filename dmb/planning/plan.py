"""The plan: which cells a release is made of, which of them would be asked, scored and published, and why.

Reads small files, writes nothing. Made once by the main process; a cluster job reads the plan its run was born with.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dmb.baselines import BASELINES
from dmb.contracts.config import Release
from dmb.contracts.contender import Contender, Provider
from dmb.contracts.suite import SuiteFile
from dmb.engine.credentials import find_credential
from dmb.engine.decide import Key, is_finished
from dmb.engine.earlier import logged_attempts
from dmb.errors import UsageError
from dmb.inputs import nearest
from dmb.planning.freeze import Freezer, Frozen, NotFetched
from dmb.planning.keys import (
    cell_key,
    cell_parts,
    changed_parts,
    libraries_of,
    looks_of,
    publishing_code,
    release_key,
    score_key,
    scoring_code,
)
from dmb.planning.project import Project
from dmb.planning.rehearsal import SUFFIX, Simulator, base_of, find_simulator, twin_of
from dmb.price_tiers import ordered_tier
from dmb.pricing import worst_case_usd
from dmb.prompting import question_fingerprint
from dmb.store.files import load_json
from dmb.store.layout import CELLS, RESULTS, cell_dir, items_path, receipt_path, score_path, texts_path, train_path
from dmb.store.receipts import LANE_STOPPED, newest_number
from dmb.transport import REPLAY_VARIABLE

_KEY_LINE = re.compile(r"<!-- release-key: ([0-9a-f]{64}) -->")


@dataclass(frozen=True)
class PlannedCell:
    """One cell: what it is (``key``), where its evidence is, and whether it is asked now."""

    key: str
    number: int
    contender: str
    suite: str
    asks: bool
    skip: str | None
    changed: tuple[str, ...]
    n_expected: int
    receipt: Path
    score: Path
    score_key: str
    scores: bool
    compared: Path | None
    job: dict[str, Any]


@dataclass(frozen=True)
class PlannedRelease:
    """One release. ``unknown``: suites whose items are not known before a download, with what to do."""

    name: str
    spec: Release
    key: str | None
    cells: tuple[PlannedCell, ...]
    unknown: dict[str, str] = field(default_factory=dict)
    refreeze: dict[str, Frozen] = field(default_factory=dict)

    @property
    def publishes(self) -> bool:
        """Whether the published file is missing or carries another key."""
        return self.key is None or embedded_key(RESULTS / f"{self.name}.md") != self.key


@dataclass(frozen=True)
class Selection:
    """A part of a release, as ``dmb run`` may ask for it. Empty: all of it."""

    suites: tuple[str, ...] = ()
    contenders: tuple[str, ...] = ()
    limit: int | None = None
    retry: bool = False


def finished_rows(cell: PlannedCell) -> set[Key]:
    """The rows of a cell that earlier runs have finished: they are taken over, not asked."""
    retries = (cell.job["protocol"]["retry_failed"], cell.job["policy"]["retry_malformed"])
    logged = logged_attempts(cell.contender, cell.suite, cell.key)
    return {key for key in logged if is_finished(logged.seen(key), *retries)}


def embedded_key(published: Path) -> str | None:
    """The release key that a published report carries on its last line; None without a report."""
    try:
        tail = published.read_bytes()[-400:].decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    found = _KEY_LINE.findall(tail)
    return found[-1] if found else None


class Planner:
    """Makes plans for the releases of one project; looks each file up once."""

    def __init__(self, project: Project, environment: Mapping[str, str] = os.environ) -> None:
        self.project = project
        self._environment = environment
        self._now = dt.datetime.now(dt.UTC)
        self.freezer = Freezer(project)
        self._questions: dict[str, str] = {}
        self._frozen: dict[str, Frozen | str] = {}
        self._told: dict[str | tuple[str, bool], dict[str, Any]] = {}
        self._protocol = project.config.protocol.model_dump(mode="json")

    def release(self, name: str, selection: Selection = Selection()) -> PlannedRelease:
        """Raises ``UsageError`` for an unknown release, suite or contender."""
        spec, simulator = self._spec(name)
        suites = [self.project.nicknames[s] for s in spec.suites]
        contenders = list(spec.contenders)
        if selection.suites:
            wanted = {self.project.suite_id(s, "--suites", "") for s in selection.suites}
            _must_be_in(wanted, suites, "--suites", name)
            suites = [s for s in suites if s in wanted]
        if selection.contenders:
            wanted = {self.project.contender_id(c, "--contenders", "") for c in selection.contenders}
            _must_be_in(wanted, contenders, "--contenders", name)
            contenders = [c for c in contenders if c in wanted]
        limit = selection.limit if selection.limit is not None else spec.limit
        unknown = {s: f for s in suites if isinstance(f := self._freeze(s), str)}
        cells: dict[tuple[str, str], PlannedCell] = {}
        known = [s for s in suites if s not in unknown]
        # a suite that is compared with another comes after it
        for s in sorted(known, key=lambda s: self.project.suites[s].metrics.compare_with is not None):
            for c in contenders:
                other = self.project.suites[s].metrics.compare_with
                compared = cells.get((c, other)) if other else None
                planned = self._cell(c, s, spec, limit, selection.retry, compared, simulator)
                cells[c, s] = replace(planned, job=planned.job | {"release": name})
        ordered = tuple(cells[c, s] for s in known for c in contenders)
        refreeze = {s: f for s in known if (f := self._frozen[s]).changed}
        key = None
        if not unknown and not (selection.suites or selection.contenders or selection.limit):
            looks = looks_of(
                spec.title,
                {s: self.project.suites[s] for s in suites},
                {c: self.project.contenders[c] for c in contenders},
                self.project.sources,
            )
            key = release_key(scores=[c.score_key for c in ordered], looks=looks, code=publishing_code())
        return PlannedRelease(name, spec, key, ordered, unknown, refreeze)

    def _spec(self, name: str) -> tuple[Release, Simulator | None]:
        """A release of config.yaml, or the simulated twin of one."""
        releases = self.project.config.releases
        if name in releases:
            if self._environment.get(REPLAY_VARIABLE):
                raise UsageError(
                    f"{REPLAY_VARIABLE} is set, and recordings are no fresh answers; build {name + SUFFIX!r}, or unset it"
                )
            return releases[name], None
        if (base := base_of(name, releases)) is not None:
            return twin_of(releases[base]), find_simulator(name, self._environment)
        raise UsageError(f"release {name!r} is not in config.yaml; {nearest(name, releases)}")

    def _freeze(self, suite: str) -> Frozen | str:
        if suite not in self._frozen:
            try:
                self._frozen[suite] = self.freezer.frozen(suite)
            except NotFetched as e:
                self._frozen[suite] = str(e)
        return self._frozen[suite]

    def _cell(
        self,
        contender: str,
        suite: str,
        release: Release,
        limit: int | None,
        retry: bool,
        compared: PlannedCell | None,
        simulator: Simulator | None,
    ) -> PlannedCell:
        entry = self.project.contenders[contender]
        spec = self.project.suites[suite]
        provider = self.project.providers[entry.provider]
        simulated = simulator is not None and simulator.stands_for(entry, provider)
        if simulator is not None and simulated:
            provider = simulator.provider(entry.provider, provider)
        frozen = self._frozen[suite]
        assert isinstance(frozen, Frozen)
        prior = self._prior(spec)
        protocol = self.project.config.protocol
        parts = cell_parts(
            protocol=protocol.version,
            entry=entry,
            items=frozen.items,
            limit=limit if limit is not None and limit < frozen.n_items else None,
            question=self._question(suite),
            retry_malformed=spec.policy.retry_malformed,
            repeats=protocol.repeats,
            nonce=release.nonce,
            prior=prior["sha256"] if prior else None,
            train=frozen.train if spec.baseline.train is not None else None,
            keywords=spec.baseline.keywords,
        )
        if provider.dialect:
            # it shapes what is sent; where there is none, nothing of it stands in the key
            parts["dialect"] = provider.dialect
        if simulator is not None and simulated:
            parts["simulated"] = simulator.key
        key = cell_key(parts)
        skip = self._skip(contender, entry, provider)
        newest = newest_number(cell_dir(contender, suite, key))
        receipt = receipt_path(contender, suite, key, newest)
        asks = newest == 0 or not receipt.exists() or _due(load_json(receipt), retry, skip)
        number = newest + 1 if asks else newest
        sk = score_key(
            cell=key,
            number=number,
            prices=self.project.price_rows(contender),
            code=scoring_code(parts["asker"]["name"]),
            suite=spec,
            compared=(compared.key, compared.number) if compared else None,
        )
        score = score_path(contender, suite, key, number, sk)
        n_expected = min(frozen.n_items, limit or frozen.n_items) * protocol.repeats
        job = {
            "contender": contender,
            "suite": suite,
            "number": number,
            "n_expected": n_expected,
            **self._told_of_contender(contender, provider, simulated),
            **self._told_of_suite(spec),
            "protocol": self._protocol,
            "repeats": protocol.repeats,
            "limit": parts["limit"],
            "items": {"path": str(items_path(suite, frozen.items)), "sha256": frozen.items},
            "texts": str(texts_path(suite, frozen.items)),
            "train": self._train(suite, entry, frozen, spec),
            "prior": prior if self._needs(entry, "prior") else None,
            "skip": skip,
            "simulated": simulated,
            "replayed": simulator is not None and simulated and simulator.replays,
            "parts": parts,
        }
        return PlannedCell(
            key=key,
            number=number,
            contender=contender,
            suite=suite,
            asks=asks,
            skip=skip,
            changed=self._changed(contender, suite, key, parts) if asks else (),
            n_expected=n_expected,
            receipt=receipt_path(contender, suite, key, number),
            score=score,
            score_key=sk,
            scores=not score.exists(),
            compared=compared.receipt if compared else None,
            job=job,
        )

    def _told_of_contender(self, contender: str, provider: Provider, simulated: bool) -> dict[str, Any]:
        """What a plan says of a contender in each of its cells; made once, since thousands of cells share it."""
        if (contender, simulated) not in self._told:
            entry = self.project.contenders[contender]
            rows = self.project.price_rows(contender)
            self._told[contender, simulated] = {
                "entry": entry.model_dump(mode="json", exclude_defaults=True),
                "provider": provider.model_dump(mode="json", exclude_defaults=True),
                "lane": self.project.lane(entry.provider).model_dump(mode="json", exclude_defaults=True),
                "prices": [r.model_dump(mode="json", exclude_defaults=True) for r in rows],
                "withheld": self.project.credentials() if entry.serve is not None else [],
            }
        return self._told[contender, simulated]

    def _told_of_suite(self, spec: SuiteFile) -> dict[str, Any]:
        """The same of a suite."""
        if spec.id not in self._told:
            self._told[spec.id] = {
                "slots": [s.model_dump(mode="json") for s in spec.slots],
                "policy": spec.policy.model_dump(mode="json"),
                "instructions": self._instructions(spec),
                "keywords": {k: list(v) for k, v in spec.baseline.keywords.items()},
            }
        return self._told[spec.id]

    @staticmethod
    def _needs(entry: Contender, what: str) -> bool:
        return entry.baseline is not None and what in BASELINES[entry.baseline].needs

    def _train(self, suite: str, entry: Contender, frozen: Frozen, spec: SuiteFile) -> dict[str, str] | None:
        if not self._needs(entry, "train") or spec.baseline.train is None or frozen.train is None:
            return None
        return {"path": str(train_path(suite, frozen.train)), "sha256": frozen.train}

    def _prior(self, spec: SuiteFile) -> dict[str, str] | None:
        if spec.baseline.prior is None:
            return None
        source = self._freeze(spec.baseline.prior)
        if isinstance(source, str):
            return None
        return {
            "suite": spec.baseline.prior,
            "path": str(items_path(spec.baseline.prior, source.items)),
            "sha256": source.items,
        }

    def _instructions(self, spec: SuiteFile) -> str:
        return self.project.asks_as(spec).question.instructions or ""

    def _question(self, suite: str) -> str:
        if suite not in self._questions:
            spec = self.project.suites[suite]
            version = self.project.asks_as(spec).prompt_version
            self._questions[suite] = question_fingerprint(self._instructions(spec), spec.slots, version)
        return self._questions[suite]

    def _skip(self, contender: str, entry: Contender, provider: Provider) -> str | None:
        """Why the cell cannot be asked right now; None when it can."""
        if provider.credential and find_credential(provider.credential, self._environment) is None:
            return "no-credential"
        tier = ordered_tier(entry.settings)
        if provider.billed and worst_case_usd(self.project.price_rows(contender), 1, 1, self._now, tier) is None:
            # what has no price cannot be reserved, and what is not reserved is not sent
            return "no-price"
        if missing := [n for n, v in libraries_of(entry).items() if v is None]:
            return f"not-installed: {', '.join(missing)}"
        return None

    def _changed(self, contender: str, suite: str, key: str, parts: dict[str, Any]) -> tuple[str, ...]:
        """Parts that differ from the nearest cell of this contender and suite that was asked; ("new",) without one."""
        home = CELLS / f"{contender}.{suite}"
        if not home.is_dir():
            return ("new",)
        candidates = []
        for folder in home.iterdir():
            newest = folder / f"receipt.{newest_number(folder)}.json"
            if not newest.exists():
                continue
            receipt = load_json(newest)
            if receipt["cell_key"] == key:
                return (f"receipt {receipt['number']} is {receipt['status']}: {receipt['stop_reason']}",)
            candidates.append((newest.stat().st_mtime_ns, changed_parts(receipt["parts"], parts)))
        if not candidates:
            return ("new",)
        return tuple(min(candidates, key=lambda c: (len(c[1]), -c[0]))[1])


def _due(receipt: dict[str, Any], retry: bool, skip: str | None) -> bool:
    """Whether a cell with this newest receipt is asked again."""
    if receipt["status"] == "complete":
        return False
    reason = receipt["stop_reason"] or ""
    if receipt["status"] == "skipped" and not reason.startswith(LANE_STOPPED):
        # what was skipped for a cause is asked when the cause is gone, or gets a receipt that says the new one
        return skip != reason
    return retry and skip is None


def _must_be_in(wanted: set[str], known: list[str], option: str, release: str) -> None:
    if extra := sorted(wanted - set(known)):
        raise UsageError(f"{option}: {extra[0]!r} is not part of release {release!r}; it has: {', '.join(known)}")
