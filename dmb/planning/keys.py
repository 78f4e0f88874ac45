"""Content keys: pure functions from parsed values to digests. What stands in them is what must rerun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib import metadata
from typing import Any

from dmb.baselines import BASELINES
from dmb.canonical import digest
from dmb.contracts.contender import Contender
from dmb.contracts.price import PriceRow
from dmb.contracts.source import Source
from dmb.contracts.suite import SuiteFile
from dmb.planning.code_meaning import code_meaning
from dmb.wires import WIRES, in_process

#: Fields of a contender that no provider sees and no answer depends on.
_NOT_ASKED_WITH = frozenset({"display", "limits", "local", "retired_on", "replaced_by"})

#: Fields of a suite that only its pages show or obey.
_LOOKS = {"title", "description", "nicknames", "attribution", "publish_text"}

#: Everything that turns logged bytes into numbers, the reading of a wire's own format apart.
#: A test holds that scoring imports nothing beside these.
SCORING_CODE = (
    "scoring/*.py",
    "metrics/*.py",
    "engine/judge.py",
    "engine/decide.py",
    "engine/probe_question.py",
    "engine/protocol.py",
    "contracts/*.py",
    "wires/charge.py",
    "wires/error_body.py",
    "wires/exchange.py",
    "wires/openai_failure.py",
    "wires/openai_usage.py",
    "wires/strict_json.py",
    "wires/written_answer.py",
    "store/attempts.py",
    "store/frozen_items.py",
    "canonical.py",
    "collector.py",
    "output_schema.py",
    "parsing.py",
    "price_tiers.py",
    "price_windows.py",
    "pricing.py",
    "prompting.py",
    "sampling.py",
)

#: Everything that turns numbers into pages.
PUBLISHING_CODE = (
    "publish/**/*.py",
    "publish/**/templates/**/*",
    "compare/*.py",
    "metrics/*.py",
    "scoring/records.py",
    "store/files.py",
    "sampling.py",
    "contracts/*.py",
    "canonical.py",
    "price_tiers.py",
    "price_windows.py",
    "pricing.py",
)


def scoring_code(asker: str) -> str:
    """Digest, by meaning, of the code that turns this asker's logged replies into numbers.

    What reads a wire's replies counts for that wire's cells alone. The version that asking is keyed by stands outside.
    """
    name = asker.partition(":")[2]
    module = WIRES[name].read.__module__ if asker.startswith("wire:") else in_process.__name__
    return code_meaning((*SCORING_CODE, f"wires/{module.rpartition('.')[2]}.py"))


def publishing_code() -> str:
    """Digest of the publishing code and its templates."""
    return code_meaning(PUBLISHING_CODE)


@cache
def installed_version(distribution: str) -> str | None:
    """Version of an installed distribution; None when it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def asker_of(entry: Contender) -> tuple[str, int]:
    """(name, version) of what asks: a baseline or a wire."""
    if entry.baseline is not None:
        return f"baseline:{entry.baseline}", BASELINES[entry.baseline].version
    return f"wire:{entry.wire}", WIRES[entry.wire or ""].version


def libraries_of(entry: Contender) -> dict[str, str | None]:
    """Distribution -> installed version, for those that compute the answer."""
    names = list(entry.packages)
    if entry.baseline is not None:
        names += BASELINES[entry.baseline].libraries
    return {n: installed_version(n) for n in sorted(set(names))}


def asked_fields(entry: Contender) -> dict[str, Any]:
    """The fields of an entry that its provider sees, or that answers depend on."""
    return entry.model_dump(mode="json", exclude=set(_NOT_ASKED_WITH), exclude_defaults=True)


def cell_parts(
    *,
    protocol: int,
    entry: Contender,
    items: str,
    limit: int | None,
    question: str,
    retry_malformed: int,
    repeats: int,
    nonce: str | None,
    prior: str | None,
    train: str | None,
    keywords: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """What a cell key is made of, by name, so that an audit can say which part changed.

    ``items``, ``prior``, ``train``: digests; ``question``: the question's fingerprint.
    """
    asker, version = asker_of(entry)
    needs = BASELINES[entry.baseline].needs if entry.baseline is not None else frozenset()
    learns: dict[str, Any] = {}
    if "prior" in needs:
        learns["prior"] = prior
    if "train" in needs:
        learns["train"] = train
    if "keywords" in needs:
        learns["keywords"] = {k: list(v) for k, v in keywords.items()}
    return {
        "protocol": protocol,
        "contender": asked_fields(entry),
        "asker": {"name": asker, "version": version},
        "learns": learns,
        "libraries": libraries_of(entry),
        "items": items,
        "limit": limit,
        "question": question,
        "retry_malformed": retry_malformed,
        "repeats": repeats,
        "nonce": nonce,
    }


def cell_key(parts: Mapping[str, Any]) -> str:
    """64 hex digits."""
    return digest(parts)


def scoring_policy(suite: SuiteFile) -> dict[str, Any]:
    """The parts of a suite file that say how answers are judged."""
    return {
        "metrics": suite.metrics.model_dump(mode="json"),
        "malformed_counts_as_wrong": suite.policy.malformed_counts_as_wrong,
        "slots": [s.model_dump(mode="json") for s in suite.slots],
        "scorer_version": suite.scorer_version,
        "prior": suite.baseline.prior,
        "gate": suite.gate,
    }


def score_key(
    *,
    cell: str,
    number: int,
    prices: Iterable[PriceRow],
    code: str,
    suite: SuiteFile,
    compared: tuple[str, int] | None,
) -> str:
    """``compared``: (cell key, receipt number) of the cell that this one is compared with."""
    return digest(
        {
            "cell": cell,
            "receipt": number,
            "prices": [_price_values(r) for r in prices],
            "code": code,
            "policy": scoring_policy(suite),
            "compared": list(compared) if compared else None,
        }
    )


def _price_values(row: PriceRow) -> dict[str, Any]:
    """A price row as values: 0.20 and 0.2 are the same price."""
    fields = row.model_dump(exclude_defaults=True)
    return {
        k: format(v.normalize(), "f") if isinstance(v, Decimal) else v if isinstance(v, bool) else str(v)
        for k, v in fields.items()
    }


def looks_of(
    title: str, suites: Mapping[str, SuiteFile], contenders: Mapping[str, Contender], sources: Mapping[str, Source]
) -> dict[str, Any]:
    """What is printed and is no number: titles, labels, notes, and what licences ask for. Mappings in the release's order."""
    return {
        "title": title,
        "suites": {name: suite.model_dump(mode="json", include=_LOOKS) for name, suite in suites.items()},
        "suite_order": list(suites),
        "contenders": [[name, entry.display.model_dump(mode="json")] for name, entry in contenders.items()],
        "sources": {a: sources[a].model_dump(mode="json") for suite in suites.values() for a in suite.attribution},
    }


def release_key(*, scores: Iterable[str], looks: Any, code: str) -> str:
    """``scores``: score keys in the release's order; ``looks``: what ``looks_of`` gives."""
    return digest({"scores": list(scores), "looks": looks, "code": code})


def changed_parts(old: Any, new: Any, at: str = "") -> list[str]:
    """Dotted names of the parts that differ, deepest first where both sides are tables."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = []
        for k in sorted(old.keys() | new.keys()):
            names += changed_parts(old.get(k), new.get(k), f"{at}.{k}" if at else k)
        return names
    return [] if old == new else [at]
