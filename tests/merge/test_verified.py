"""A merged report is held to its evidence like any other release."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from dmb.cli.app import app
from tests.merge.ground import LATE, Ground
from tests.merge.test_report import report


def verified() -> str:
    done = CliRunner().invoke(app, ["verify", "merged"])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_merged_report_verifies(ground: Ground):
    ground.run("a")
    ground.run("b", "random", "alpha order")
    ground.run("c", "majority", "beta", clock=LATE)
    report("a", "b", "c")
    assert "6 of 6 cells scored again" in verified()


def test_one_of_a_question_that_has_changed_since_verifies(ground: Ground):
    ground.run("a", "random", "alpha order")
    ground.edit("data/suites/alpha.toml", "Which colour is meant?", "Which colour?")
    ground.edit("data/suites/alpha.toml", "publish_text", "prompt_version = 2\npublish_text")
    report("a")
    verified()


def test_changed_prices_of_today_are_none_of_its_business(ground: Ground):
    ground.run("a", "random", "alpha")
    report("a")
    before = Path("results/merged.md").read_bytes()
    path = Path("data/prices.toml")
    path.write_text(path.read_text(encoding="utf-8") + "\n# another day\n", encoding="utf-8")
    verified()
    report("a")
    assert Path("results/merged.md").read_bytes() == before


def test_a_mix_verifies_too(ground: Ground):
    ground.run("a", "random", "alpha")
    ground.edit("data/suites/alpha.toml", "Which colour is meant?", "Which colour?")
    ground.run("b", "majority", "alpha")
    report("a", "b", "--allow-protocol-mix")
    verified()
