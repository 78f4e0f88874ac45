"""The documentation says what is so: links, commands, paths, names, and the examples, which are really carried out."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.main

from dmb.cli import app as cli
from dmb.contracts.attempt import OUTCOMES
from dmb.planning import driver, plan
from dmb.planning.plan import Planner
from dmb.planning.project import load_project
from dmb.publish.measures import MEASURES
from dmb.publish.tables.confidence import KINDS
from tests.conftest import PROJECT
from tests.dag.tiny import Tiny

PAGES = [PROJECT / "README.md", PROJECT / "CHANGELOG.md", *sorted((PROJECT / "docs").glob("*.md"))]
LONGEST = 150

#: Made by the workflow: not there in a fresh clone.
BUILT = ("runs/", "results/", "data/raw/", "data/items/", ".snakemake/")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.\w+|config\.yaml)`")


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def prose(text: str) -> str:
    """A page without its code blocks."""
    return _FENCE.sub("", text)


def spans(text: str) -> list[str]:
    """Code between single backticks."""
    return re.findall(r"`([^`\n]+)`", prose(text))


def blocks(text: str, language: str) -> list[str]:
    """Code blocks in one language."""
    return [m[2] for m in _FENCE.finditer(text) if m[1] == language]


def commands(text: str) -> list[str]:
    """Lines of shell blocks and spans of code that begin like a command, without `uv run` and its options."""
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()] + spans(text)
    bare = [re.sub(r"^(?:\w+=\S+ )?(?:uv run (?:--(?:group|extra) \w+ )*)?", "", line.strip()) for line in lines]
    return [line for line in bare if re.match(r"(dmb|snakemake|pytest)(\s|$)", line)]


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one of its level or above."""
    level = len(heading) - len(heading.lstrip("#"))
    found = re.search(rf"^{re.escape(heading)}$\n(.*?)(?=^#{{1,{level}}} |\Z)", text, re.M | re.S)
    assert found, f"no heading {heading!r}"
    return found[1]


def first_column(text: str) -> list[str]:
    """Code in the first column of the tables in a text."""
    rows = re.findall(r"^\| ([^|]*) \|", text, re.M)
    return [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]


def named_blocks(page: str) -> dict[str, str]:
    """File -> content for code blocks whose introducing paragraph names the file, last if it names several."""
    text = text_of(page)
    found: dict[str, str] = {}
    for block in _FENCE.finditer(text):
        named = _FILE.findall(text[: block.start()].rstrip().rpartition("\n\n")[2])
        if named and block[1] in ("json", "toml", "yaml"):
            found[named[-1]] = (found[named[-1]] + "\n" if named[-1] in found else "") + block[2]
    return found


@cache
def app() -> dict[str, set[str]]:
    """Command -> its options, as `dmb --help` knows them."""
    cli._register()
    group = typer.main.get_command(cli.app)
    return {
        name: {o for p in command.params for o in p.opts if o.startswith("--")}
        for name, command in group.commands.items()
    }


# -- pages


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_a_page_is_short_and_names_no_place_of_this_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert not re.search(r"(?<![\w.])/(?:work|tmp|root|home)/", text)
    assert text.endswith("\n") and "\t" not in text


def slug(heading: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def links(page: Path) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page.read_text(encoding="utf-8"))):
        if not re.match(r"https?://", target):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        file, _, anchor = target.partition("#")
        there = (page.parent / file) if file else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", prose(there.read_text(encoding="utf-8")), re.M)
            assert anchor in map(slug, headings), f"{page.name}: {target}"


def test_every_page_is_linked_from_the_readme_or_from_a_page_that_is() -> None:
    reached, todo = set(), [PROJECT / "README.md"]
    while todo:
        page = todo.pop()
        if page not in reached and page.suffix == ".md" and page.is_file():
            reached.add(page)
            todo += [(page.parent / t.partition("#")[0]).resolve() for t in links(page)]
    assert set(PAGES) <= reached


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_paths_between_backticks_are_there(page: Path) -> None:
    examples = {file for name in ("docs/suites.md", "docs/contenders.md") for file in named_blocks(name)}
    for span in spans(page.read_text(encoding="utf-8")):
        if not re.fullmatch(r"[\w.<][\w.<>*…-]*(/[\w.<>*…-]*)+|Snakefile|\w+\.(yaml|toml)|\w+\.md", span):
            continue
        if span in ("n/a", *examples) or span.startswith(BUILT):
            continue
        pattern = re.sub(r"<[^>]*>|…", "*", span.rstrip("/"))
        homes = (
            [PROJECT]
            if "/" in span.rstrip("/")
            else [PROJECT, PROJECT / "dmb", PROJECT / "data/suites", PROJECT / "data"]
        )
        assert any(any(home.glob(pattern)) for home in homes), f"{page.name}: {span}"


def test_modules_in_the_table_of_ranks_are_there() -> None:
    named = [
        name
        for row in re.findall(r"^\| \d+ \| ([^|]*) \|", text_of("docs/architecture.md"), re.M)
        for name in re.findall(r"`([^`]+)`", row)
    ]
    there = {p.name + "/" * p.is_dir() for p in (PROJECT / "dmb").iterdir() if not p.name.startswith("__")}
    assert sorted(named) == sorted(there - {"py.typed"})


# -- commands


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_and_options_exist(page: Path) -> None:
    rules = set(re.findall(r"^rule (\w+):", "\n".join(p.read_text() for p in (PROJECT / "rules").glob("*.smk")), re.M))
    for command in commands(page.read_text(encoding="utf-8")):
        words = command.split()
        if words[0] == "dmb" and len(words) > 1:
            if words[1] in ("--version", "--help"):
                continue
            assert words[1] in app(), f"{page.name}: {command}"
            # what follows `--` is for another program
            for option in re.findall(r"(?<=\s)--[a-z-]+", command.partition(" -- ")[0]):
                assert option in app()[words[1]] | {"--help"}, f"{page.name}: {command}"
        if words[0] == "snakemake":
            for word in words[1:]:
                if re.fullmatch(r"[a-z]+", word):
                    assert word in rules, f"{page.name}: {command}"


def test_every_command_is_documented_with_all_its_options() -> None:
    """On one page, the one about commands or the one about what they are for."""
    pages = [page.read_text(encoding="utf-8") for page in PAGES]
    documented = [(name, page) for page in pages for name in re.findall(r"^## dmb ([a-z].*)$", page, re.M)]
    assert sorted(name for name, _ in documented) == sorted(app())
    for command, page in documented:
        about = section(page, f"## dmb {command}")
        assert app()[command] - {"--help"} <= set(re.findall(r"--[a-z-]+", about)), command
    page = text_of("docs/commands.md")
    assert first_column(section(page, "## dmb run")) == [
        o for o in first_column(section(page, "## dmb run")) if o in app()["run"]
    ]


def test_options_of_the_workflow_are_all_described() -> None:
    described = first_column(section(text_of("docs/keys.md"), "## Options of the workflow"))
    assert sorted(d.partition("=")[0] for d in described) == sorted(driver._OPTIONS)


def test_the_readme_has_the_commands_that_ci_runs() -> None:
    readme = commands(text_of("README.md"))
    assert {"snakemake results/quickstart.md", "snakemake results/v2.md", "pytest"} <= set(readme)
    ci = PROJECT / ".ci/run"
    if not ci.exists():
        pytest.skip("no .ci/run")
    full = next(b for b in blocks(text_of("README.md"), "sh") if "pytest" in b).splitlines()[-1]
    lines = [line.strip() for line in ci.read_text().splitlines()]
    assert full in lines
    options = full.removeprefix("uv run").removesuffix("pytest").strip()
    for target in ("results/quickstart.md", "results/v2.md"):
        assert f"uv run {options} snakemake {target} --quiet all" in lines


# -- names


def test_suites_are_listed_with_their_items() -> None:
    locked = json.loads(text_of("data/items.lock.json"))
    rows = re.findall(r"^\| `([\w-]+)` \| (\w*) ?\| (\d+) \|", text_of("docs/suites.md"), re.M)
    suites = load_project(PROJECT).suites
    assert {name: int(n) for name, _, n in rows} == {name: entry["n_items"] for name, entry in locked.items()}
    assert {name: nick for name, nick, _ in rows} == {n: "".join(s.nicknames) for n, s in suites.items()}


def test_contenders_are_listed() -> None:
    project = load_project(PROJECT)
    page = text_of("docs/contenders.md")
    ships = set(first_column(section(page, "## What ships")))
    retired = {name for name, entry in project.contenders.items() if entry.retired_on is not None}
    assert ships == set(project.contenders) - retired
    assert all(f"`{name}`" in section(page, "## Retired names") for name in retired)


def test_reasons_for_a_skip_are_those_of_the_planner() -> None:
    code = inspect.getsource(plan.Planner._skip)
    reasons = first_column(section(text_of("docs/contenders.md"), "## Why a contender is skipped"))
    for reason in reasons:
        wanted = [part.strip() for part in reason.split("…")]
        if not reason.startswith("lane stopped"):
            assert all(part in code for part in wanted), reason
    assert len(reasons) == code.count("return ") - code.count("return None") + 1


def test_outcomes_kinds_and_metrics_are_those_of_the_code() -> None:
    page = text_of("docs/reading-the-report.md")
    outcomes = re.findall(r"^\| (\w+) \|", section(page, "## Outcomes"), re.M)
    assert tuple(outcomes[1:]) == OUTCOMES
    assert first_column(section(page, "## Kinds of confidence")) == list(KINDS)
    cells_file = text_of("docs/cells-file.md")
    listed = re.findall(r"`([a-z0-9_]+)`", section(cells_file, "## Metrics").split("Names of metrics")[1])
    metrics = set(listed) - {"request_", "value", "note"}
    assert metrics <= set(MEASURES)
    golden = json.loads(text_of("tests/publish/golden/v9.cells.json"))
    assert {name for cell in golden["cells"] for name in cell["metrics"]} - {"accuracy_controls"} <= metrics
    example, league, times, costs, probes = map(json.loads, blocks(cells_file, "json"))
    made = golden["comparisons"]["leagues"][0]
    assert league.keys() == made.keys()
    assert all(league[k][0].keys() == made[k][0].keys() for k in ("standings", "pairs"))
    assert example.keys() == golden.keys()
    assert example["runs"][0].keys() == golden["runs"][0].keys()
    assert set(example["cells"][0]) == set(golden["cells"][0])
    timed = next(cell["timing"] for cell in golden["cells"] if cell["timing"])
    assert {k: v.keys() for k, v in times["timing"].items() if not k.startswith("n_")} == {
        k: v.keys() for k, v in timed.items() if not k.startswith("n_")
    }
    assert costs["cost"].keys() == next(cell["cost"] for cell in golden["cells"] if cell["cost"]).keys()
    assert probes.keys() == next(cell["negotiation"] for cell in golden["cells"] if cell["negotiation"])[0].keys()
    assert set(example["cells"][0]["metrics"]["accuracy_valid"]) == {"value", "low", "high", "n", "num", "den", "note"}


def test_dependencies_have_a_line_each() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))
    page = text_of("docs/dependencies.md")

    def names(wanted: list[str]) -> set[str]:
        return {re.match(r"[\w-]+", w)[0] for w in wanted}

    def described(heading: str) -> set[str]:
        return set(re.findall(r"^\| ([\w-]+) \|", section(page, heading), re.M)) - {"package", "---"}

    # pyyaml comes with snakemake, whether or not it is named
    assert described("## At run time") == names(project["project"]["dependencies"]) | {"pyyaml"}
    for extra, packages in project["project"]["optional-dependencies"].items():
        assert described(f"## Extra `{extra}`") == names(packages)
    groups = project["dependency-groups"]
    assert described("## Group `dev`: installed by `uv run`") == names(groups["dev"])
    assert described("## Group `oracles`: only for the full test command") == names(groups["oracles"])


# -- examples

#: What the README tells to write: file, old, new.
CHANGES = {
    "price": ("data/prices.toml", '"sparrow-nano-general-v1.1"\nunbilled = true', '"sparrow-nano-general-v1.1"\ninput = "0.10"\noutput = "0"'),
    "suite": ("data/suites/starter-route.toml", "Pick the one that fits best.", "Pick the best one."),
    "contender": ("data/contenders.toml", "settings = { C = 10.0 }", "settings = { C = 5.0 }"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_in_the_readme_does_what_the_readme_says(project_copy: Path, name: str) -> None:
    row = re.search(rf"^\| a {name}: (.*) \| (.*) \| (.*) \| yes \|$", text_of("README.md"), re.M)
    assert row, name
    file, old, new = CHANGES[name]
    assert f"`{file}`" in row[1]
    for line in new.splitlines():
        assert line.strip('"') in row[1] or line in row[1] or line.partition("{ ")[2].strip(" }") in row[1], line
    before = {(c.contender, c.suite): c for c in Planner(load_project(), {}).release("quickstart").cells}
    path = project_copy / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    after = Planner(load_project(), {}).release("quickstart").cells
    asks = [c for c in after if before[c.contender, c.suite].key != c.key]
    scores = [c for c in after if before[c.contender, c.suite].score_key != c.score_key]
    assert row[2] == (f"{len(asks)} cells, {sum(c.n_expected for c in asks)} questions" if asks else "nothing")
    assert row[3] == f"{len(scores)} cells"


def test_entries_in_the_page_on_contenders_are_accepted(project_copy: Path) -> None:
    written = named_blocks("docs/contenders.md")
    assert set(written) == {"data/contenders.toml", "data/providers.toml", "data/prices.toml"}
    for file, more in written.items():
        path = project_copy / file
        # an entry that is there already is shown as it is
        fresh = "\n".join(
            b
            for b in re.split(r"\n(?=\[)", more)
            if b.splitlines()[0] not in path.read_text().splitlines() or b.startswith("[[")
        )
        path.write_text(f"{path.read_text()}\n{fresh}", encoding="utf-8")
    project = load_project()
    assert {"tfidf-logreg-c1", "sparrow-robot"} <= set(project.contenders)
    assert project.providers["my-server"].billed is False
    shown = tomllib.loads(next(b for b in blocks(text_of("docs/contenders.md"), "toml") if "[typesafe]" in b))
    assert shown["typesafe"] == project.providers["typesafe"].model_dump(mode="json", exclude_defaults=True)


@pytest.fixture
def helpdesk(tmp_path: Path) -> Tiny:
    """A scratch project with the page's own suite written into it."""
    files = named_blocks("docs/suites.md")
    release = files.pop("config.yaml")
    assert len(files) == 4
    tiny = Tiny.make(tmp_path / "own")
    for name, content in files.items():
        (tiny.root / name).parent.mkdir(parents=True, exist_ok=True)
        (tiny.root / name).write_text(content, encoding="utf-8")
    tiny.edit("config.yaml", "releases:\n", f"releases:\n{release}")
    return tiny


@pytest.mark.xdist_group("docs")
def test_the_suite_of_ones_own_is_planned_as_the_page_says(helpdesk: Tiny) -> None:
    jobs = helpdesk.dry("results/helpdesk.md")
    assert jobs.asked == {f"{c}.helpdesk" for c in ("random", "majority", "keyword", "tfidf-logreg")}
    done = helpdesk.dmb("audit", "helpdesk", "--json")
    audit = json.loads(done.stdout)
    assert [c["calls"] for c in audit["ask"]] == [6] * 4
    example = json.loads(blocks(section(text_of("docs/commands.md"), "## dmb audit"), "json")[0])
    assert example.keys() == audit.keys()
    assert example["ask"][0].keys() == audit["ask"][0].keys()
    assert example["score"][0].keys() == audit["score"][0].keys()


@pytest.mark.long
@pytest.mark.xdist_group("docs")
def test_the_suite_of_ones_own_is_built(helpdesk: Tiny) -> None:
    helpdesk.build("results/helpdesk.md")
    cells = json.loads((helpdesk.root / "results/helpdesk.cells.json").read_text())["cells"]
    assert {c["outcomes"]["valid"] for c in cells} == {6}
    by_name = {c["contender"]: c["metrics"]["accuracy_valid"]["value"] for c in cells}
    assert by_name["tfidf-logreg"] > by_name["majority"]
    assert "Our help desk" in (helpdesk.root / "results/helpdesk.md").read_text()
