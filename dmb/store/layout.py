"""Where things lie, relative to the project's folder."""

from __future__ import annotations

from pathlib import Path

RUNS = Path("runs")
CELLS = RUNS / "_cells"
ITEMS = Path("data/items")
RESULTS = Path("results")
#: What the workflow remembers between starts; may be lost at any time.
SCRATCH = Path(".snakemake/dmb")


def run_dir(run: str) -> Path:
    """The directory of one run."""
    return RUNS / run


def lane_dir(lane: str) -> Path:
    """What the requests to one provider share, over all runs: its slots and what was asked of late."""
    return RUNS / "_lanes" / lane


def budget_dir(release: str) -> Path:
    """The spend ledger of a release."""
    return RUNS / "_budget" / release


def probes_dir(run: str) -> Path:
    """What a run's negotiation asked and found: ``<contender>.jsonl`` and ``<contender>.json``."""
    return run_dir(run) / "probes"


def raw_log(run: str, contender: str, suite: str) -> Path:
    """The attempts of one cell in one run."""
    return run_dir(run) / "raw" / f"{contender}.{suite}.attempts.jsonl"


def taken_over_file(run: str, contender: str, suite: str) -> Path:
    """How many finished rows of earlier runs a cell began with, by outcome. They are in its log at its end only."""
    return run_dir(run) / "raw" / f"{contender}.{suite}.taken-over.json"


def decisions_file(run: str, contender: str, suite: str) -> Path:
    """The decisions that the attempts come to."""
    return run_dir(run) / "decisions" / f"{contender}.{suite}.jsonl"


def cell_dir(contender: str, suite: str, cell_key: str) -> Path:
    """The index folder of one cell; ``cell_key`` is the full digest."""
    return CELLS / f"{contender}.{suite}" / cell_key[:16]


def receipt_path(contender: str, suite: str, cell_key: str, number: int) -> Path:
    """The receipt with this number."""
    return cell_dir(contender, suite, cell_key) / f"receipt.{number}.json"


def score_path(contender: str, suite: str, cell_key: str, number: int, score_key: str) -> Path:
    """The score made from that receipt."""
    return cell_dir(contender, suite, cell_key) / f"score.{number}.{score_key[:16]}.json"


def items_path(suite: str, items: str) -> Path:
    """The identity file."""
    return ITEMS / f"{suite}.{items[:12]}.jsonl"


def texts_path(suite: str, items: str) -> Path:
    """The texts that belong to an identity file."""
    return ITEMS / f"{suite}.{items[:12]}.texts.jsonl"


def train_path(suite: str, train: str) -> Path:
    """A frozen train split."""
    return ITEMS / f"{suite}.{train[:12]}.train.jsonl"
