"""Items: known by digest from the lock, derived in memory when what they are built from has changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dmb.canonical import digest, sha256_hex
from dmb.contracts.frozen import Frozen as FrozenModel
from dmb.contracts.frozen import Sha256
from dmb.errors import InputError
from dmb.planning.code_meaning import code_meaning
from dmb.planning.project import SUITES, Project
from dmb.sources import raw_path, read_source
from dmb.store.files import pretty_json, write_whole
from dmb.suites import BUILDERS
from dmb.suites.built import BuilderArgs, Built, Inputs, items_digest, train_bytes

LOCK = Path("data/items.lock.json")

#: A builder's result depends on the whole folder of builders and on the seeded choices.
_BUILDER_CODE = ("suites/*.py", "sampling.py", "canonical.py", "contracts/item.py")


class LockEntry(FrozenModel):
    """One suite in the lock."""

    built_from: Sha256
    items: Sha256
    n_items: int
    train: Sha256 | None


@dataclass(frozen=True, slots=True)
class Frozen:
    """A suite's items by digest. ``changed``: its lock entry differs and is to be rewritten."""

    items: str
    n_items: int
    train: str | None
    built_from: str
    changed: bool

    def lock_entry(self) -> dict[str, Any]:
        """What stands in ``data/items.lock.json``."""
        return {"built_from": self.built_from, "items": self.items, "n_items": self.n_items, "train": self.train}


class NotFetched(Exception):
    """The items cannot be known before these sources are on disk."""

    def __init__(self, suite: str, sources: list[str]) -> None:
        super().__init__(
            f"{SUITES}/{suite}.toml: differs from {LOCK}, and its items cannot be known before {', '.join(sources)} "
            "is on disk; run `snakemake sources` first (free)"
        )
        self.suite, self.sources = suite, sources


class Freezer:
    """Looks a suite's items up, or derives them. One a plan: results are kept."""

    def __init__(self, project: Project, root: Path = Path()) -> None:
        self._project, self._root = project, root
        lock = root / LOCK
        self._lock = _read_lock(lock)
        self._built: dict[str, Built] = {}
        self._frozen: dict[str, Frozen] = {}

    def frozen(self, suite: str) -> Frozen:
        """Raises ``NotFetched`` when sources are missing, ``InputError`` when the user's data are wrong."""
        if suite not in self._frozen:
            self._frozen[suite] = self._look_up(suite)
        return self._frozen[suite]

    def _look_up(self, suite: str) -> Frozen:
        built_from = self.built_from(suite)
        entry = self._lock.get(suite)
        if entry is not None and entry.built_from == built_from:
            return Frozen(entry.items, entry.n_items, entry.train, built_from, changed=False)
        built = self.build(suite)
        train = train_bytes(built)
        return Frozen(
            items_digest(built),
            len(built.items),
            None if train is None else sha256_hex(train),
            built_from,
            changed=True,
        )

    def built_from(self, suite: str) -> str:
        """Digest of everything that the items are a function of."""
        spec = self._project.suites[suite]
        return digest(
            {
                "items": spec.items.model_dump(mode="json"),
                "slots": [s.id for s in spec.slots],
                "builder_version": BUILDERS[spec.items.builder].version,
                "builder_code": builder_code(),
                "sources": {s: self._project.sources[s].sha256 for s in spec.items.sources},
                "files": {f: sha256_hex(self._file(suite, f)) for f in spec.items.files},
                "upstream": self.built_from(spec.items.suite) if spec.items.suite else None,
            }
        )

    def build(self, suite: str) -> Built:
        """The items in memory, with their texts."""
        if suite in self._built:
            return self._built[suite]
        spec = self._project.suites[suite].items
        if missing := self._missing_sources(suite):
            raise NotFetched(suite, missing)
        args = BuilderArgs(
            suite=suite,
            sources=spec.sources,
            files=spec.files,
            upstream=spec.suite,
            params=dict(spec.params),
            slots=tuple(s.id for s in self._project.suites[suite].slots),
            inputs=Inputs(source=self._source, file=lambda f: self._file(suite, f), suite=self.build),
        )
        built = BUILDERS[spec.builder].build(args)
        _check(built, f"{SUITES}/{suite}.toml")
        self._built[suite] = built
        return built

    def _missing_sources(self, suite: str) -> list[str]:
        spec = self._project.suites[suite].items
        missing = [s for s in spec.sources if not self._raw(s).exists()]
        return missing + (self._missing_sources(spec.suite) if spec.suite else [])

    def _raw(self, source: str) -> Path:
        return raw_path(self._root, source, self._project.sources[source])

    def _source(self, source: str) -> bytes:
        return read_source(self._root, source, self._project.sources[source])

    def _file(self, suite: str, file: str) -> bytes:
        path = self._root / file
        if not path.is_file():
            raise InputError(f"{SUITES}/{suite}.toml", "items.files", f"{file} is not here", "correct the path")
        return path.read_bytes()


def builder_code() -> str:
    """Digest of the builders' code, by meaning."""
    return code_meaning(_BUILDER_CODE)


def _check(built: Built, file: str) -> None:
    """Rules that hold for every suite, whoever built it."""
    if not built.items:
        raise InputError(file, "items", "the builder yields no items", "give it data")
    seen = set()
    ids = {name: {i for i, _ in options} for name, options in built.option_sets.items()}
    for name, options in built.option_sets.items():
        # servers strip blanks: texts that differ in nothing else would be one option to them
        texts = {" ".join(t.split()) for _, t in options}
        if len(ids[name]) != len(options) or len(texts) != len(options):
            raise InputError(file, f"option set {name}", "an option id or text stands twice", "make them distinct")
    for it in built.items:
        if (it.id, it.permutation) in seen:
            raise InputError(file, f"item {it.id}", "the id stands twice", "give each item an id of its own")
        seen.add((it.id, it.permutation))
        options = built.option_sets[it.option_set]
        shown = ids[it.option_set] if it.order is None else {options[i][0] for i in it.order}
        for slot, gold in it.gold.items():
            if isinstance(gold, str) and gold not in shown:
                raise InputError(
                    file,
                    f"item {it.id}: {slot}",
                    f"gold {gold!r} is none of its options",
                    "correct the gold or the options",
                )


def _read_lock(path: Path) -> dict[str, LockEntry]:
    """Raises ``InputError`` for a lock that somebody has damaged."""
    if not path.exists():
        return {}
    mend = "take it back from git, or run scripts/freeze_items.py"
    try:
        return TypeAdapter(dict[str, LockEntry]).validate_json(path.read_bytes())
    except ValidationError as e:
        where = ".".join(str(p) for p in e.errors()[0]["loc"])
        raise InputError(LOCK, where, "is no entry of the lock", mend) from None


def write_lock(entries: dict[str, dict[str, Any]], root: Path = Path()) -> None:
    """Put these entries into the lock, leaving the others."""
    path = root / LOCK
    old = json.loads(path.read_bytes()) if path.exists() else {}
    write_whole(path, pretty_json(old | entries))
