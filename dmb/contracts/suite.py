"""A suite file: ``data/suites/<id>.toml``, the whole of what is asked and how it is judged."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from dmb.contracts.frozen import FrozenLate, Slug
from dmb.contracts.slot import Slot


class ItemsSpec(FrozenLate):
    """Where the items come from: a builder by name, what it reads, and its parameters."""

    builder: str = Field(description="name of a builder in dmb/suites")
    sources: tuple[str, ...] = Field((), description="ids in data/sources.toml that the builder reads")
    files: tuple[str, ...] = Field((), description="committed files that the builder reads, relative to the project")
    suite: Slug | None = Field(None, description="the suite whose items these are derived from")
    params: dict[str, Any] = Field({}, description="the builder's own numbers: seed, counts, sweep")


class Question(FrozenLate):
    """What is asked of each item. ``same_as`` takes the question of another suite, so that both ask alike."""

    instructions: str | None = None
    same_as: Slug | None = None


class Policy(FrozenLate):
    """How often a bad reply is asked again, and what it counts as."""

    retry_malformed: int = Field(1, ge=0, le=1)
    malformed_counts_as_wrong: bool = False


class MetricsSpec(FrozenLate):
    """Which of the metrics make sense here."""

    primary: str = "accuracy_valid"
    stable_labels: bool = Field(True, description="all items share one option list, so that macro-F1 is defined")
    compare_with: Slug | None = Field(None, description="suite whose decisions by the same contender are the reference")
    honesty: bool = Field(False, description="report honest_rate over the items without a determined answer")
    by: tuple[str, ...] = Field((), description="item slices to report beside the whole")


class BaselineSpec(FrozenLate):
    """What the free contenders may learn from. Never the items' own texts."""

    train: Literal["own"] | None = Field(
        None, description="`own`: the builder yields a train split; none means unsupported"
    )
    prior: Slug | None = Field(None, description="suite whose gold counts are the class prior; none means uniform")
    keywords: dict[str, tuple[str, ...]] = Field({}, description="option id -> words for the keyword rule")


class SuiteFile(FrozenLate):
    """One suite, parsed."""

    id: Slug
    nicknames: tuple[str, ...] = ()
    title: str
    description: str
    attribution: tuple[str, ...] = Field((), description="source ids whose labels or ids appear in published files")
    prompt_version: int = 1
    scorer_version: int = 1
    publish_text: bool = False
    items: ItemsSpec
    question: Question
    slots: tuple[Slot, ...] = Field(default_factory=lambda: (Slot(id="decision", kind="choice"),))
    policy: Policy = Field(default_factory=Policy)
    metrics: MetricsSpec = Field(default_factory=MetricsSpec)
    baseline: BaselineSpec = Field(default_factory=BaselineSpec)
    gate: dict[str, Any] = {}
