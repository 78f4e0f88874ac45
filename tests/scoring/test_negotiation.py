"""What probes cost, from their log to the report: once a run, apart from what is scored, and unknown where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmb.contracts.attempt import Attempt
from dmb.contracts.release import RunFacts
from dmb.errors import DamagedFile
from dmb.publish.table import Table
from tests.scoring.by_hand import NOON, SUITE, attempt, chat, price, probes, published, release, score, tokens

OTHER = SUITE.model_copy(update={"id": "by-hand-too"})
REFUSED = attempt('{"error": {"message": "temperature is not supported"}}', status=400, outcome="failed")
HELD = attempt(chat(tokens(2_000, 100)))


@pytest.fixture(autouse=True)
def in_a_scratch_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def scored(n_tokens: int = 1_000_000) -> Attempt:
    return attempt(chat(tokens(n_tokens, 0)))


def row(table: Table, label: str) -> list[str]:
    (found,) = [r for r in table.rows if r.values[0].text == label]
    return [v.text for v in found.values[1:]]


def test_probes_are_priced_like_attempts_and_are_in_no_other_cost():
    found = score("m", [scored()], [price("m")], negotiation=[probes("m", [REFUSED, HELD])])
    (spend,) = found.negotiation
    assert (spend.run, spend.settings, spend.given_up) == ("r-1", {"structured": "json_mode"}, ("temperature",))
    # 2,000 in at 1 and 100 out at 2 dollars a million; what was turned away unread costs nothing
    assert (spend.n_probes, spend.cost.n_attempts, spend.cost.priced_usd, spend.note) == (2, 2, "0.0022", None)
    assert (found.cost_usd, found.n_attempts, found.cost.n_attempts) == ("1", 1, 1)
    assert found.metrics["accuracy_valid"].den == 1


def test_a_probe_without_usage_makes_the_spend_unknown():
    found = score("m", [scored()], [price("m")], negotiation=[probes("m", [attempt(chat(None)), attempt(None), HELD])])
    (spend,) = found.negotiation
    assert (spend.cost.n_priced, spend.cost.priced_usd) == (1, "0.0022")
    assert spend.note == "usage not reported (2 attempts)"
    assert found.cost_usd == "1"
    made = release([found], [price("m")])
    assert row(made.spend_table, "Model m")[:2] == ["1.0000", "1,000.00"]
    (table,) = made.negotiation_tables
    assert row(table, "Model m")[-1] == "at least 0.0022" and table.notes == ("Usage not reported (2 attempts).",)
    assert made.spend_table.remarks == (
        "In all: 1.0000 USD scored, at least 0.0022 USD for negotiation, at least 1.0022 USD together.",
    )
    silent = score("n", [scored()], [price("n")], negotiation=[probes("n", [attempt(chat(None))])])
    assert release([silent], [price("n")]).spend_table.remarks == (
        "In all: 1.0000 USD scored, unknown for negotiation, at least 1.0000 USD together.",
    )


def test_who_runs_on_ones_own_machine_is_probed_for_nothing():
    prices = [price("m", unbilled=True, input=None, output=None)]
    found = score("m", [scored()], prices, negotiation=[probes("m", [HELD])])
    assert (found.negotiation[0].cost, found.negotiation[0].note) == (None, "not billed")
    made = release([found], prices)
    assert row(made.spend_table, "Model m")[:2] == ["not billed"] * 2
    assert row(made.negotiation_tables[0], "Model m")[-1] == "not billed"
    # in all, nothing is billed
    assert made.spend_table.remarks == ()


def test_the_suites_of_one_run_share_their_probes_and_those_of_another_run_are_added():
    first, second = probes("m", [HELD]), probes("m", [HELD, HELD], "r-2")
    scores = [
        score("m", [scored()], [price("m")], negotiation=[first]),
        score("m", [scored(500_000)], [price("m")], suite=OTHER, negotiation=[first, second]),
        score("n", [scored()], [price("n")]),
        score("n", [scored()], [price("n")], suite=OTHER),
    ]
    made = release(scores, [price("m"), price("n")], suites=[SUITE, OTHER])
    assert [row(made.spend_table, f"Model {name}")[0] for name in "mn"] == ["1.5000", "2.0000"]
    assert made.spend_table.remarks == ("In all: 3.5000 USD scored, 0.0066 USD for negotiation, 3.5066 USD together.",)
    (table,) = made.negotiation_tables
    assert [[v.text for v in r.values] for r in table.rows] == [
        ["Model m", "r-1", "structured json_mode", "temperature", "1", "1", "0.0022"],
        ["Model m", "r-2", "structured json_mode", "temperature", "2", "2", "0.0044"],
    ]
    markdown, page, cells = published(made)
    assert "| Model m | `r-2` | structured json\\_mode | temperature | 2 | 2 | 0.0044 |" in markdown
    assert 'id="negotiation"' in page
    by_suite = {(c["contender"], c["suite"]): c["negotiation"] for c in cells["cells"]}
    assert [n["cost"]["priced_usd"] for n in by_suite["m", OTHER.id]] == ["0.0022", "0.0044"]
    assert by_suite["n", SUITE.id] == []


def test_where_nothing_was_found_a_later_cell_probes_on_and_the_longer_log_counts():
    early = probes("m", [REFUSED, HELD])
    early = early.model_copy(update={"settings": None, "given_up": ()})
    # the same rows, and one more
    late = probes("m", [REFUSED, HELD, HELD])
    scores = [
        score("m", [], [price("m")], negotiation=[early]),
        score("m", [scored()], [price("m")], suite=OTHER, negotiation=[late]),
    ]
    assert [s.negotiation[0].cost.priced_usd for s in scores] == ["0.0022", "0.0044"]
    made = release(scores, [price("m")], suites=[SUITE, OTHER])
    (table,) = made.negotiation_tables
    assert len(table.rows) == 1 and row(table, "Model m")[4:6] == ["3", "0.0044"]
    alone = release(scores[:1], [price("m")])
    assert row(alone.negotiation_tables[0], "Model m")[1] == "nothing was accepted"


def test_a_log_that_was_altered_is_refused_and_one_that_is_gone_leaves_its_cost_unknown():
    found = probes("m", [REFUSED, HELD])
    log = Path(found.log)
    whole = log.read_bytes()
    damages = (whole.replace(b"2000", b"2001"), whole[: whole.index(b"\n") + 1], b"")
    for name, damaged in zip("abc", damages, strict=True):
        log.write_bytes(damaged)
        with pytest.raises(DamagedFile, match=r"m.jsonl: does not begin with the rows that the receipt recorded"):
            score(name, [scored()], [price(name)], negotiation=[found])
    log.unlink()
    (spend,) = score("m", [scored()], [price("m")], negotiation=[found]).negotiation
    assert (spend.cost, spend.note) == (None, "the log of run r-1's probes is not here")
    # it was gone already when the receipt was written
    lost = {"settings": None, "given_up": (), "n_probes": None, "n_attempts": None, "log_sha256": None}
    unknown = score("n", [scored()], [price("n")], negotiation=[found.model_copy(update=lost)])
    made = release([unknown], [price("n")])
    assert row(made.negotiation_tables[0], "Model n")[1:] == ["unknown", "–", "unknown", "unknown", "unknown"]
    assert made.negotiation_tables[0].notes == ("The log of run r-1's probes is not here.",)
    assert made.spend_table.remarks == (
        "In all: 1.0000 USD scored, unknown for negotiation, at least 1.0000 USD together.",
    )


def test_what_the_ledger_says_stands_in_one_line_and_in_the_cells_file():
    caps = {"soft": "40", "hard": "60"}
    runs = [
        RunFacts("r-1", NOON, {}, {"scored": "1", "negotiation": "0.0022", "unsettled": "0"}, caps),
        RunFacts("r-2", NOON, {}, {"scored": "0.5", "negotiation": "0", "unsettled": None}, caps),
    ]
    made = release([score("m", [scored()], [price("m")])], [price("m")], runs=runs)
    markdown, page, cells = published(made)
    line = (
        "Spent by 2 runs, as the ledger has it: scored 1.5000 USD, negotiation 0.0022 USD, unsettled unknown. "
        "Caps: 40.00 USD (soft) and 60.00 USD (hard). "
        "All cells of a run count, and what nobody can price counts at its reservation."
    )
    assert line in markdown and line in page
    assert cells["spend_usd"] == {"scored": "1.5", "negotiation": "0.0022", "unsettled": None}
    assert [r["spend_usd"]["unsettled"] for r in cells["runs"]] == ["0", None]
    assert cells["runs"][0]["budget_usd"] == caps
    free = [price("m", unbilled=True, input=None, output=None)]
    nothing = RunFacts("r-1", NOON, {}, dict.fromkeys(("scored", "negotiation", "unsettled"), "0"), caps)
    made = release([score("b", [scored()], free)], [price("b", unbilled=True, input=None, output=None)], runs=[nothing])
    assert "as the ledger has it" not in published(made)[0]
