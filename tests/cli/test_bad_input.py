"""Bad input: one line on stderr with file, field and mend, exit code 2, nothing written."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dmb.cli import main
from dmb.errors import UsageError
from dmb.planning.plan import Planner
from dmb.planning.project import load_project
from tests.dag.tiny import Tiny


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return Tiny.make(tmp_path_factory.mktemp("bad") / "fresh")


#: Written where no key belongs; whatever is said of it, it is not repeated.
PLANTED = "sk-Planted0123456789"


def append(file: str, text: str) -> Callable[[Tiny], None]:
    def change(t: Tiny) -> None:
        path = t.root / file
        path.write_text(path.read_text() + text)

    return change


def replace(file: str, old: str, new: str) -> Callable[[Tiny], None]:
    return lambda t: t.edit(file, old, new)


def limits_of_openai(limits: str) -> Callable[[Tiny], None]:
    return replace("data/providers.toml", "[openai]\n", f"[openai]\nlimits = {{ {limits} }}\n")


#: name -> (change, what the line must hold)
FAULTS: dict[str, tuple[Callable[[Tiny], None], list[str]]] = {
    "unknown suite": (
        replace("config.yaml", "[alpha, order, beta]", "[alpha, order, betta]"),
        ["config.yaml", "releases.tiny.suites", "'beta'"],
    ),
    "unknown contender": (
        replace("config.yaml", "[random, keyword, tfidf-logreg]", "[randon]"),
        ["config.yaml", "releases.tiny.contenders", "'random'"],
    ),
    "retired contender": (
        replace("config.yaml", "[random, keyword, tfidf-logreg]", "[deepseek-chat]"),
        ["config.yaml", "retired on 2026-07-24", "'deepseek-flash' took its place"],
    ),
    "no contenders": (
        replace("config.yaml", "[random, keyword, tfidf-logreg]", "[]"),
        ["config.yaml", "releases.tiny.contenders"],
    ),
    "contender twice": (
        replace("config.yaml", "[random, keyword, tfidf-logreg]", "[random, random]"),
        ["config.yaml", "stands twice"],
    ),
    "order suite without its reference": (
        replace("config.yaml", "[alpha, order, beta]", "[order]"),
        ["config.yaml", "'alpha'"],
    ),
    "unknown key in config": (append("config.yaml", "budgets: {}\n"), ["config.yaml", "budgets", "'budget'"]),
    "key twice in config": (append("config.yaml", "all: [tiny]\n"), ["config.yaml", "stands twice"]),
    "unknown release in all": (replace("config.yaml", "all: [tiny]", "all: [tini]"), ["config.yaml", "all", "'tiny'"]),
    "broken YAML": (append("config.yaml", "x: [\n"), ["config.yaml", "line"]),
    "unknown key of a contender": (
        replace("data/contenders.toml", 'baseline = "random"', 'baseline = "random"\nmodle = "x"'),
        ["data/contenders.toml", "random.modle", "'model'"],
    ),
    "unknown key of a suite": (
        replace("data/suites/alpha.toml", "[question]", "[question]\nsame_ass = 'x'"),
        ["data/suites/alpha.toml", "question.same_ass", "'same_as'"],
    ),
    "unknown key of a price": (
        append(
            "data/prices.toml",
            '\n[[price]]\nprovider = "x"\nmodel = "y"\ninputt = "1"\nsource = "s"\nchecked_on = 2026-01-01\n',
        ),
        ["data/prices.toml", "inputt", "'input'"],
    ),
    "unknown key of a provider": (
        append("data/providers.toml", '\n[x]\nadress = "y"\n'),
        ["data/providers.toml", "x.adress", "'address'"],
    ),
    "two prices on one day": (
        append(
            "data/prices.toml",
            '\n[[price]]\nprovider = "in-process"\nmodel = "random"\nunbilled = true\nsource = "s"\nchecked_on = 2026-01-01\n',
        ),
        ["data/prices.toml", "in-process random", "valid_to"],
    ),
    "misspelt baseline setting": (
        replace("data/contenders.toml", "settings = { C = 10.0 }", "settings = { C = 10.0, max_itr = 5 }"),
        ["data/contenders.toml", "tfidf-logreg.settings.max_itr", "'max_iter'"],
    ),
    "value that a wire cannot say": (
        replace("data/contenders.toml", 'structured = "forced_tool"', 'structured = "forced_tol"'),
        ["data/contenders.toml", "claude-haiku-4-5.settings", "forced_tol"],
    ),
    "setting that a wire does not know": (
        replace(
            "data/contenders.toml",
            'settings = { structured = "forced_tool", temperature = 0, max_output_tokens = 256 }',
            "settings = { temprature = 0 }",
        ),
        ["data/contenders.toml", "claude-haiku-4-5.settings.temprature", "'temperature'"],
    ),
    "billed model without an output cap": (
        replace("data/contenders.toml", "temperature = 0, max_output_tokens = 256 }", "temperature = 0 }"),
        ["data/contenders.toml", "settings.max_output_tokens", "is missing"],
    ),
    "output cap that is no number": (
        replace("data/contenders.toml", "max_output_tokens = 256 }", "max_output_tokens = true }"),
        ["data/contenders.toml", "settings.max_output_tokens", "True", "whole number"],
    ),
    "unknown successor of a retired contender": (
        replace("data/contenders.toml", 'replaced_by = "deepseek-flash"', 'replaced_by = "deepseek-flesh"'),
        ["data/contenders.toml", "deepseek-chat.replaced_by", "'deepseek-flash'"],
    ),
    "unknown word in limits": (
        replace("data/providers.toml", "[in-process]", "[in-process]\nlimits = { request_per_minute = 5 }"),
        ["data/providers.toml", "in-process.limits.request_per_minute", "'requests_per_minute'"],
    ),
    "limit of nothing a minute": (
        replace("data/contenders.toml", "requests_per_minute = 3000", "requests_per_minute = 0"),
        ["data/contenders.toml", "limits.requests_per_minute", "greater than or equal to 1"],
    ),
    "truth for a limit": (
        replace("data/contenders.toml", "requests_per_minute = 3000", "requests_per_minute = true"),
        ["data/contenders.toml", "limits.requests_per_minute", "integer"],
    ),
    "allowance of two things": (
        limits_of_openai("allowances = [{ usd = 3, calls = 5, hours = 5 }]"),
        ["data/providers.toml", "openai.limits.allowances.0", "give calls, tokens or usd"],
    ),
    "allowance of nothing": (
        limits_of_openai("allowances = [{ hours = 5 }]"),
        ["data/providers.toml", "openai.limits.allowances.0", "give calls, tokens or usd"],
    ),
    "allowance without hours": (
        limits_of_openai("allowances = [{ calls = 5 }]"),
        ["data/providers.toml", "openai.limits.allowances.0.hours", "is missing", "'hours'"],
    ),
    "allowance over no time": (
        limits_of_openai("allowances = [{ calls = 5, hours = 0 }]"),
        ["data/providers.toml", "openai.limits.allowances.0.hours", "greater than 0"],
    ),
    "allowance over for ever": (
        limits_of_openai("allowances = [{ calls = 5, hours = inf }]"),
        ["data/providers.toml", "openai.limits.allowances.0.hours", "finite"],
    ),
    "allowance of a negative amount": (
        limits_of_openai("allowances = [{ usd = -1, hours = 5 }]"),
        ["data/providers.toml", "openai.limits.allowances.0.usd", "greater than 0"],
    ),
    "unknown end of an allowance": (
        limits_of_openai('allowances = [{ usd = 1, hours = 5, when_used_up = "halt" }]'),
        ["data/providers.toml", "openai.limits.allowances.0.when_used_up", "'wait' or 'stop'"],
    ),
    "unknown lane": (
        replace("data/providers.toml", 'lane = "openai"', 'lane = "opanai"'),
        ["data/providers.toml", "openai-decisions.lane", "'openai'"],
    ),
    "lane of its own": (
        replace("data/providers.toml", 'lane = "openai"', 'lane = "openai-decisions"'),
        ["data/providers.toml", "openai-decisions.lane", "no other provider"],
    ),
    "lane of a lane": (
        replace("data/providers.toml", 'lane = "google"', 'lane = "openai-decisions"'),
        ["data/providers.toml", "google-decisions.lane", "name 'openai'"],
    ),
    "limits beside the lane": (
        replace("data/providers.toml", 'lane = "openai"', 'lane = "openai"\nlimits = { requests_per_minute = 5 }'),
        ["data/providers.toml", "openai-decisions.limits", "set it at [openai]"],
    ),
    **{
        f"address with {what}": (
            replace("data/providers.toml", '"https://api.typesafe.ai"', f'"{address}"'),
            ["data/providers.toml", "typesafe.address", words, "`credential`"],
        )
        for what, address, words in (
            ("a key in its query", f"https://api.typesafe.ai/?key={PLANTED}", "query"),
            ("a key in its fragment", f"https://api.typesafe.ai/#{PLANTED}", "fragment"),
            ("a user name", f"https://{PLANTED}@api.typesafe.ai", "user name"),
            ("a password alone", f"https://:{PLANTED}@api.typesafe.ai", "password"),
            ("both", f"https://user:{PLANTED}@api.typesafe.ai:443/v1", "password"),
            ("a port that is none", f"https://api.typesafe.ai:{PLANTED}", "is no address"),
            ("half a bracket", f"https://[{PLANTED}", "is no address"),
            ("another scheme", f"ftp://{PLANTED}", "http://host"),
            ("no host", f"https:///{PLANTED}", "http://host"),
            ("a blank", f"https://api.typesafe.ai/ {PLANTED}", "blank"),
            ("no scheme", f"{PLANTED}", "http://host"),
        )
    },
    "addresses in a list": (
        replace("data/providers.toml", '"https://api.typesafe.ai"', f'["https://api.typesafe.ai/?key={PLANTED}"]'),
        ["data/providers.toml", "typesafe.address", "string"],
    ),
    "a key in the place of a provider": (
        replace("data/providers.toml", "[in-process]", f'whose = "{PLANTED}"\n[in-process]'),
        ["data/providers.toml", "whose", "Provider"],
    ),
    "a key in the place of its variable's name": (
        replace("data/providers.toml", '["TYPESAFE_API_KEY"]', f'["TYPESAFE_API_KEY", "{PLANTED}"]'),
        ["data/providers.toml", "typesafe.credential", "in capitals", "environment variable"],
    ),
    "a key in the place of variables": (
        replace("data/providers.toml", '["TYPESAFE_API_KEY"]', f'"{PLANTED}"'),
        ["data/providers.toml", "typesafe.credential", "tuple"],
    ),
    "infinity in config": (
        append("config.yaml", "protocol: {backoff_s: .inf}\n"),
        ["config.yaml", "protocol.backoff_s"],
    ),
    "truth for a number": (append("config.yaml", "protocol: {repeats: true}\n"), ["config.yaml", "protocol.repeats"]),
    "soft cap above the hard one": (
        append("config.yaml", "budget: {soft_usd: 99}\n"),
        ["config.yaml", "budget", "soft_usd"],
    ),
    "date in a setting": (
        replace(
            "data/contenders.toml",
            'settings = { structured = "forced_tool", temperature = 0, max_output_tokens = 256 }',
            "settings = { temperature = 2026-01-01 }",
        ),
        ["data/contenders.toml", "claude-haiku-4-5.settings", "date"],
    ),
    "NaN in a setting": (
        replace(
            "data/contenders.toml",
            'settings = { structured = "forced_tool", temperature = 0, max_output_tokens = 256 }',
            "settings = { temperature = nan }",
        ),
        ["data/contenders.toml", "claude-haiku-4-5.settings", "NaN"],
    ),
    "option texts that differ in blanks": (
        replace("data/alpha.labels.json", "the colour blue", "the colour red "),
        ["alpha", "stands twice"],
    ),
    "damaged lock": (
        lambda t: (t.root / "data/items.lock.json").write_text('{"alpha": {"n_items": "x"}}') and None,
        ["data/items.lock.json", "alpha", "from git"],
    ),
    "broken TOML": (append("data/prices.toml", "\n[[price\n"), ["data/prices.toml", "line"]),
    "duplicate item id": (replace("data/alpha.jsonl", "alpha-1", "alpha-0"), ["data/alpha.jsonl", "alpha-0"]),
    "gold outside the options": (
        replace("data/alpha.jsonl", '"label": "red"', '"label": "rot"'),
        ["data/alpha.jsonl", "rot"],
    ),
    "broken item row": (append("data/alpha.jsonl", "{\n"), ["data/alpha.jsonl", "line 7"]),
    "suite file with another id": (
        replace("data/suites/alpha.toml", 'id = "alpha"', 'id = "omega"'),
        ["data/suites/alpha.toml", "'alpha'"],
    ),
    "slot of a kind that cannot be asked": (
        append("data/suites/alpha.toml", '[[slots]]\nid = "reply"\nkind = "text"\n'),
        ["data/suites/alpha.toml", "slots.reply.kind", "choice"],
    ),
    "unknown builder": (
        replace("data/suites/alpha.toml", 'builder = "jsonl"', 'builder = "json"'),
        ["data/suites/alpha.toml", "items.builder", "'jsonl'"],
    ),
}


def tree(root: Path) -> set[str]:
    return {
        str(p.relative_to(root))
        for p in root.rglob("*")
        if "__pycache__" not in p.parts and ".snakemake" not in p.parts
    }


def in_process(t: Tiny, *args: str) -> subprocess.CompletedProcess[str]:
    """`dmb ...` in this process, as its entry point is called: a start of Python less."""
    out, err, before = io.StringIO(), io.StringIO(), (Path.cwd(), sys.argv)
    try:
        os.chdir(t.root)
        sys.argv = ["dmb", *args]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
    finally:
        os.chdir(before[0])
        sys.argv = before[1]
    return subprocess.CompletedProcess(args, ended.value.code or 0, out.getvalue(), err.getvalue())


def assert_refused(t: Tiny, done, parts: list[str]) -> None:
    assert done.returncode == 2, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    for part in parts:
        assert part in lines[0]
    assert done.stdout == "" and PLANTED not in done.stderr


@pytest.mark.parametrize(
    "words, parts",
    [
        (["run"], ["id", "`dmb run --help`"]),
        (["run", "--id", "x", "--jobs", "0"], ["'--jobs'", "greater than or equal to 1", "`dmb run --help`"]),
        (["run", "--id", "x", "--jobs", "two"], ["'--jobs'", "integer"]),
        (["run", "--id", "x", "--retri"], ["--retri", "`dmb run --help`"]),
        (["doctor", "--peers", "1"], ["'--peers'", "greater than or equal to 2", "`dmb doctor --help`"]),
        (["doctor", "--wait"], ["'--wait'"]),
        (["verify"], ["`dmb verify --help`"]),
        (["wach"], ["'wach'", "`dmb --help`"]),
    ],
)
def test_a_call_that_cannot_be_read(fresh: Tiny, words: list[str], parts: list[str]) -> None:
    assert_refused(fresh, in_process(fresh, *words), parts)


def test_without_a_word_the_commands_are_listed(fresh: Tiny) -> None:
    done = in_process(fresh)
    assert done.returncode == 2 and "release-lock" in done.stderr and "doctor" in done.stderr


@pytest.mark.parametrize("name", FAULTS)
def test_fault_in_a_file(fresh: Tiny, tmp_path: Path, name: str) -> None:
    t = fresh.copy_of_inputs(tmp_path / "copy")
    change, parts = FAULTS[name]
    change(t)
    before = tree(t.root)
    assert_refused(t, in_process(t, "run", "--id", "mine"), parts)
    assert tree(t.root) == before


def test_the_same_from_a_shell(fresh: Tiny, tmp_path: Path) -> None:
    t = fresh.copy(tmp_path / "copy")
    change, parts = FAULTS["unknown suite"]
    change(t)
    assert_refused(t, t.dmb("run", "--id", "mine"), parts)


@pytest.mark.parametrize("run_id", ["../x", "", "a/b", "a b", ".hidden", "-x", "a\nb", "x" * 200])
def test_bad_run_id(fresh: Tiny, run_id: str) -> None:
    before = tree(fresh.root)
    assert_refused(fresh, in_process(fresh, "run", f"--id={run_id}"), ["--id"])
    assert tree(fresh.root) == before


def test_existing_run_id(fresh: Tiny, tmp_path: Path) -> None:
    t = fresh.copy_of_inputs(tmp_path / "copy")
    (t.root / "runs/mine").mkdir(parents=True)
    assert_refused(t, in_process(t, "run", "--id", "mine"), ["runs/mine", "never reused"])
    assert list((t.root / "runs/mine").iterdir()) == []


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["--release", "tini"], ["tini", "'tiny'"]),
        (["--suites", "gamma"], ["--suites", "gamma"]),
        (["--contenders", ""], ["--contenders", "names nothing"]),
        (["--contenders", "majority"], ["--contenders", "not part of release"]),
    ],
)
def test_bad_choice(fresh: Tiny, args: list[str], parts: list[str]) -> None:
    before = tree(fresh.root)
    assert_refused(fresh, in_process(fresh, "run", "--id", "mine", *args), parts)
    assert tree(fresh.root) == before


@pytest.mark.parametrize(
    "address",
    [
        f"http://{PLANTED}@127.0.0.1:8900",
        f"http://:{PLANTED}@127.0.0.1:8900",
        f"http://127.0.0.1:8900/?key={PLANTED}",
        f"http://127.0.0.1:8900/#{PLANTED}",
        f"http://127.0.0.1:8900/{PLANTED}",
        f"http://127.0.0.1:{PLANTED}",
        f"http://[{PLANTED}",
        f"https://127.0.0.1:8900/{PLANTED}",
        f"http://{PLANTED}.example",
        f"http://127.0.0.1.{PLANTED}.example",
        PLANTED,
    ],
)
def test_an_address_of_the_simulator_that_is_none(fresh: Tiny, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DMB_SIMULATOR", address)
    before = tree(fresh.root)
    for command in (("run", "--id", "mine", "--release", "tiny-simulated"), ("audit", "tiny-simulated")):
        assert_refused(fresh, in_process(fresh, *command), ["DMB_SIMULATOR", "no plain http address", "dmb simulate"])
    assert tree(fresh.root) == before


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://localhost:0", "http://127.0.0.1:99999"])
def test_a_simulator_that_does_not_answer(fresh: Tiny, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DMB_SIMULATOR", address)
    parts = ["DMB_SIMULATOR", "dmb simulate"]
    assert_refused(fresh, in_process(fresh, "run", "--id", "mine", "--release", "tiny-simulated"), parts)


@pytest.mark.parametrize(
    "value", [f"{PLANTED} {PLANTED}", f"{PLANTED}\nx", f"{PLANTED}\x00", f"é{PLANTED}", f"{PLANTED}\x7f"]
)
def test_a_credential_that_no_header_can_carry(fresh: Tiny, tmp_path: Path, value: str) -> None:
    t = fresh.copy_of_inputs(tmp_path / "copy")
    t.edit("config.yaml", "[random, keyword, tfidf-logreg]", "[random, jev]")
    before = tree(t.root)
    planner = Planner(load_project(t.root), {"TYPESAFE_API_KEY": value})
    with pytest.raises(UsageError) as refused, contextlib.chdir(t.root):
        planner.release("tiny")
    assert str(refused.value).startswith("TYPESAFE_API_KEY: holds a blank or a character")
    assert PLANTED not in str(refused.value) and "\n" not in str(refused.value)
    assert tree(t.root) == before


@pytest.mark.parametrize("value, skip", [(f"{PLANTED}\n", None), (f" {PLANTED}\r\n", None), ("\n", "no-credential")])
def test_a_line_feed_after_a_credential_is_no_part_of_it(fresh: Tiny, tmp_path: Path, value: str, skip) -> None:
    t = fresh.copy_of_inputs(tmp_path / "copy")
    t.edit("config.yaml", "[random, keyword, tfidf-logreg]", "[random, jev]")
    with contextlib.chdir(t.root):
        cells = Planner(load_project(), {"TYPESAFE_API_KEY": value}).release("tiny").cells
    assert {c.skip for c in cells if c.contender == "jev"} == {skip}


def test_the_workflow_itself_refuses_in_one_line(fresh: Tiny, tmp_path: Path) -> None:
    t = fresh.copy(tmp_path / "copy")
    t.edit("config.yaml", "[alpha, order, beta]", "[alpha, order, betta]")
    done = t.snakemake("results/tiny.md", check=False)
    assert done.code == 2
    own = [line for line in done.output.splitlines() if not line.startswith("Using workflow specific profile")]
    assert len(own) == 1 and "'beta'" in own[0]
    assert not (t.root / "runs").exists()


def test_bad_data_ends_the_workflow_in_one_line_too(fresh: Tiny, tmp_path: Path) -> None:
    t = fresh.copy(tmp_path / "copy")
    t.edit("data/alpha.jsonl", "alpha-1", "alpha-0")
    done = t.snakemake("results/tiny.md", check=False)
    assert done.code == 2
    assert "Traceback" not in done.output
    assert [line for line in done.output.splitlines() if line.startswith("dmb: data/alpha.jsonl")]
    assert not (t.root / "runs").exists()


def test_an_id_that_yaml_reads_as_a_number_is_an_id(fresh: Tiny, tmp_path: Path) -> None:
    t = fresh.copy(tmp_path / "copy")
    done = t.dmb("run", "--id", "1e5", "--contenders", "random", "--suites", "beta", "--limit", "2")
    assert done.returncode == 0, done.stderr
    assert [p.name for p in (t.root / "runs").iterdir() if not p.name.startswith("_")] == ["1e5"]
    assert "run 1e5: complete; 1 cells, 2 rows asked" in done.stdout


def test_unknown_option_of_the_workflow(fresh: Tiny) -> None:
    done = fresh.snakemake("-n", "results/tiny.md", "--config", "rum=x", check=False)
    assert done.code == 2
    assert "'run'" in done.output


def test_audit_json_of_nothing_built(fresh: Tiny) -> None:
    audit = json.loads(fresh.dmb("audit", "results/tiny.md", "--json").stdout)
    assert len(audit["ask"]) == 9 and audit["publish"] is True and audit["unknown"] == []
    assert {tuple(c["changed"]) for c in audit["ask"]} == {("new",)}
    assert {c["max_cost_usd"] for c in audit["ask"]} == {"0"}
