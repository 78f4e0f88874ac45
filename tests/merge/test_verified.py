"""A merged report is held to its evidence like any other release."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner

from dmb.cli.app import app
from dmb.cli.jobs import score
from dmb.planning.plan import Planner, Selection
from dmb.planning.project import load_project
from dmb.publish.assemble import make_document
from dmb.publish.document import load_document
from dmb.publish.rebuild import rescored
from dmb.scoring.score_file import load_score
from tests.merge.ground import LATE, Ground
from tests.merge.test_report import cells, report


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


def price_of_random(today: str, source: str = "https://example.org") -> None:
    """Let the table have a price for a contender that nobody bills."""
    path = Path("data/prices.toml")
    row = re.compile(r'(model = "random"\n).*?(?=\n\[\[|\Z)', re.S)
    text = path.read_text(encoding="utf-8")
    assert row.search(text)
    new = f'input = "{today}"\noutput = "2"\nsource = "{source}"\nchecked_on = "2026-11-30"\n'
    path.write_text(row.sub(lambda m: m[1] + new, text, count=1), encoding="utf-8")


def test_runs_are_priced_by_their_own_tables_and_say_what_today_has(ground: Ground):
    price_of_random("1")
    ground.run("a", "random", "alpha beta")
    price_of_random("3")
    ground.run("b", "random", "beta")
    report("a", "b")
    document = load_document(Path("results/merged/release.json"))
    used = {c.suite: [str(document.prices[p].input) for p in c.prices] for c in document.cells}
    assert used == {"alpha": ["1"], "beta": ["3"]}
    others = {
        c.suite: c.other_prices and [str(document.other_prices[p].input) for p in c.other_prices]
        for c in document.cells
    }
    assert others == {"alpha": ["3"], "beta": None}
    assert {c: cell["cost_other"] is None for (_, c), cell in cells("merged").items()} == {"alpha": False, "beta": True}
    verified()
    # where and when a price was read changes no amount
    price_of_random("1", "https://example.com")
    report("a")
    assert {c.other_prices for c in load_document(Path("results/merged/release.json")).cells} == {None}


def test_a_draft_is_priced_by_the_table_of_today_and_says_what_its_run_had(ground: Ground):
    price_of_random("1")
    ground.run("a", "random", "alpha")
    for today, others in (("1", None), ("4", ["1"])):
        price_of_random(today)
        project = load_project()
        planned = Planner(project, {}).release("tiny", Selection(("alpha",), ("random",)))
        draft = make_document(project, replace(planned, key="0" * 64))
        (cell,) = draft.cells
        assert [str(draft.prices[p].input) for p in cell.prices] == [today]
        assert (cell.other_prices and [str(draft.other_prices[p].input) for p in cell.other_prices]) == others
        (planned_cell,) = planned.cells
        score(str(cell.receipt), cell.score_key[:16], str(planned_cell.score))
        assert (load_score(planned_cell.score).cost_other is None) == (others is None)
        assert load_score(planned_cell.score) == rescored(draft)(cell)


def test_a_mix_verifies_too(ground: Ground):
    ground.run("a", "random", "alpha")
    ground.edit("data/suites/alpha.toml", "Which colour is meant?", "Which colour?")
    ground.run("b", "majority", "alpha")
    report("a", "b", "--allow-protocol-mix")
    verified()
