"""What a cluster needs of the workflow, as far as it shows without one: profiles, limits, options, lint."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dmb.cli.handed_on import REFUSED, handed_on
from dmb.errors import UsageError
from tests.conftest import PROJECT
from tests.dag.tiny import Tiny

PROFILES = ("slurm", "cluster-generic")


def settings(*args: str) -> dict[str, object]:
    """What Snakemake makes of a command line and the profiles that it finds, by the names that they have there."""
    from snakemake.cli import parse_args

    return vars(parse_args(["results/x.md", *args])[1])


@pytest.mark.parametrize("name", PROFILES)
def test_nothing_of_the_default_profile_is_lost_beside_another(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(
        f"snakemake_executor_plugin_{name.replace('-', '_')}", reason="the extra `cluster` is not installed"
    )
    monkeypatch.chdir(PROJECT)
    alone, both = settings(), settings("--profile", f"profiles/{name}")
    default = yaml.safe_load((PROJECT / "profiles/default/config.yaml").read_text())
    added = yaml.safe_load((PROJECT / f"profiles/{name}/config.yaml").read_text())
    assert {"rerun-triggers", "nolock", "ignore-incomplete", "keep-going"} <= default.keys()
    for key in default:
        key = key.replace("-", "_")
        assert alone[key] == both[key], key
    for key, value in added.items():
        assert both[key.replace("-", "_")] == value, key


@pytest.mark.parametrize("name", PROFILES)
def test_in_its_place_it_is_refused(name: str, tmp_path: Path) -> None:
    tiny = Tiny.make(tmp_path / "project")
    words = ("--workflow-profile", f"profiles/{name}", "--executor", "local", "--cores", "2")
    done = tiny.snakemake("results/other.md", *words, check=False)
    assert done.code == 3 and "the settings of profiles/default are not in force" in done.output
    assert not list(tiny.root.glob("runs/other-*"))


@pytest.mark.parametrize(
    "words",
    [
        ("--resources", "lane_openai=50"),
        ("--set-resources", "ask:lane_openai=0"),
        ("--set-resource-scopes", "lane_openai=local"),
    ],
    ids=lambda words: words[0],
)
def test_the_cap_of_a_lane_is_lifted_by_no_option(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = Tiny.make(tmp_path / "project").snakemake("-n", "results/other.md", *words, check=False)
    assert done.code == 2 and f"{words[0]}: lane_openai is DMB's own, 2 cells of a lane at once" in done.output


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--cores", "0", "--cores 0: no job would ever begin"),
        ("--local-cores", "0", "--local-cores 0: no job would ever begin"),
        ("--max-jobs-per-timespan", "0/1s", "--max-jobs-per-timespan 0: no job would ever begin"),
        ("--set-resources", "ask:mem_mb=x", "dmb: resources of ask: Resource 'mem_mb' assigned"),
        ("--set-resources", "score:runtime=soon", "dmb: resources of score: Failed to parse timespan!"),
    ],
)
def test_no_run_is_opened_that_could_not_go_on(tmp_path: Path, option: str, value: str, told: str) -> None:
    tiny = Tiny.make(tmp_path / "project")
    done = tiny.snakemake("results/other.md", option, value, check=False)
    assert done.code == 2 and told in done.output and "Traceback" not in done.output
    assert not list(tiny.root.glob("runs/other-*"))


# -- what `dmb run` hands on


def test_an_executor_brings_its_profile_along_and_a_named_one_comes_after_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(PROJECT)
    assert handed_on(None, None, None, []) == []
    assert handed_on("local", "profiles/slurm", 3, []) == [
        *("--profile", "profiles/slurm", "--executor", "local", "--jobs", "3")
    ]
    pytest.importorskip("snakemake_executor_plugin_slurm", reason="the extra `cluster` is not installed")
    site = tmp_path / "site/config.yaml"
    site.parent.mkdir()
    site.write_text("jobs: 7\nslurm-status-command: sacct\ncores: 90\n")
    found = settings(*handed_on("slurm", str(site.parent), None, ["--slurm-qos", "long", "-kp"]))
    assert found["profile"] == ["profiles/slurm", str(site.parent)]
    # a site's settings win over those of the project's for any site, and not over those that every start depends on
    assert (found["jobs"], found["slurm_status_command"], found["latency_wait"]) == (7, "sacct", 60)
    assert (found["executor"], found["slurm_qos"]) == ("slurm", "long")
    assert found["cores"] == settings()["cores"]
    assert handed_on("slurm", "profiles/slurm", None, [])[:3] == ["--profile", "profiles/slurm", "--executor"]


@pytest.mark.parametrize(
    "word", [*REFUSED, "-F", "-pF", "-kn", "-Rask", "--tou", "--forcea", "--config=x=1", "-t", "-h"]
)
def test_what_would_make_another_thing_of_a_run_is_not_handed_on(word: str) -> None:
    with pytest.raises(UsageError, match=rf"^{re.escape(word)}: is not handed on to snakemake"):
        handed_on(None, None, None, ["--cores", "2", word])


def test_no_other_name_and_no_beginning_of_what_is_refused_is_handed_on() -> None:
    """Whatever Snakemake's own parser would read as one of them; and nothing else is refused."""
    from snakemake.cli import get_argument_parser

    actions = get_argument_parser()._actions
    long = {s: a for a in actions for s in a.option_strings if s.startswith("--")}
    refused = {a.dest for s, a in long.items() if s in REFUSED}

    def is_handed_on(word: str) -> bool:
        try:
            return handed_on(None, None, None, [word]) == [word]
        except UsageError:
            return False

    wrong = [s for s, a in long.items() if is_handed_on(s) == (a.dest in refused)]
    wrong += [s for a in actions if a.dest in refused for s in a.option_strings if is_handed_on(s)]
    for option, action in long.items():
        for beginning in (option[:n] for n in range(3, len(option)) if option[:n] not in long):
            meant = {a.dest for s, a in long.items() if s.startswith(beginning)}
            if meant == {action.dest} <= refused and is_handed_on(beginning):
                wrong.append(beginning)
    assert wrong == []


@pytest.mark.parametrize("words", [["--", "results/other.md"], ["-k", "--", "results/other.md"]])
def test_no_second_target_is_handed_on(words: list[str]) -> None:
    with pytest.raises(UsageError, match="'--' stands once"):
        handed_on(None, None, None, words)


@pytest.mark.parametrize(
    "words", [["-p"], ["-c", "4"], ["-T", "2"], ["--cores=2"], ["--force-use-threads"], ["--latency-wait", "5"]]
)
def test_what_only_says_how_is_handed_on(words: list[str]) -> None:
    assert handed_on(None, None, None, words) == words


@pytest.mark.parametrize(
    "given, said",
    [
        (("nowhere", None, ()), "snakemake-executor-plugin-nowhere is not installed"),
        (("dryrun", None, ()), "`dmb audit` says what would be done"),
        (("touch", None, ()), "the plan decides"),
        ((None, "./not/there", ()), "--profile './not/there': is not there"),
        ((None, "nowhere", ()), "--profile 'nowhere': is not there"),
        ((None, "", ()), "--profile '': is not there"),
        ((None, None, ("results/other.md",)), "dmb run has one target"),
    ],
)
def test_a_place_that_is_none_is_refused(given: tuple[str | None, str | None, tuple[str, ...]], said: str) -> None:
    executor, profile, words = given
    with pytest.raises(UsageError, match=re.escape(said)):
        handed_on(executor, profile, None, words)


# -- the workflow itself

#: What Snakemake's linter says and DMB leaves so.
ACCEPTED = {
    # one environment for the whole workflow, pinned in pyproject.toml: the jobs are the package that plans them
    "Specify a conda environment or container for each rule.",
    # the interpreter that runs the workflow: it decides nothing, and as a parameter it would be part of a job
    "Shell command directly uses variable PYTHON from outside of the rule",
    # functions of the Snakefile stand beside rules only in common.smk, where they belong
    "Mixed rules and functions in same snakefile.",
}


def test_snakemake_lints_nothing_but_what_is_accepted(tmp_path: Path) -> None:
    tiny = Tiny.make(tmp_path / "project")
    said = tiny.snakemake("--lint", check=False).output
    found = set(re.findall(r"^    \* (.*?)(?: in line \d+)?:$", said, re.M))
    found = {title.rstrip(":") for title in found}
    assert found <= {title.rstrip(":") for title in ACCEPTED}, said
    assert "Specify a conda environment or container for each rule." in found, "is the linter's form another one now?"


def test_the_rules_are_laid_out_by_snakefmt() -> None:
    pytest.importorskip("snakefmt", reason="the group `oracles` is not installed")
    files = ["Snakefile", *sorted(map(str, (PROJECT / "rules").glob("*.smk")))]
    command = [sys.executable, "-m", "snakefmt", "--check", *files]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_entry_for_the_workflow_catalog_is_in_its_form() -> None:
    usage = yaml.safe_load((PROJECT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage.keys() == {"mandatory-flags", "software-stack-deployment", "report"}
    assert usage["mandatory-flags"].keys() == {"desc", "flags"} and usage["report"] is True
    # the catalog lists what has the words in its README and rules where it looks for them
    readme = (PROJECT / "README.md").read_text().lower()
    assert "snakemake" in readme and "workflow" in readme and list((PROJECT / "rules").glob("*.smk"))
