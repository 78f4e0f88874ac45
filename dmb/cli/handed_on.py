"""What `dmb run` hands on to Snakemake: executor, profile, jobs, and words after `--`; and what it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from dmb.errors import UsageError

#: A profile of the checkout that goes with an executor of this name.
PROFILES = Path("profiles")

_PLANS = "the plan decides what is done; `--retry`, or a nonce in the release, asks afresh"
_ELSE = "it makes snakemake do something else than a run; call snakemake itself"
_BEFORE = "it stands before `--`"
_OURS = "dmb run gives it itself"
_AUDIT = "`dmb audit` says what would be done"

#: Options that would make another thing of the run, with the reason and the mend. Abbreviations are refused as well.
REFUSED = {
    **dict.fromkeys(("--force", "--forceall", "--forcerun", "--touch", "--until", "--omit-from", "--batch"), _PLANS),
    **dict.fromkeys(("--rerun-incomplete", "--ri", "--rerun-triggers", "--allowed-rules", "--target-jobs"), _PLANS),
    **dict.fromkeys(("--dry-run", "--dryrun"), _AUDIT),
    **dict.fromkeys(("--executor", "--profile", "--jobs"), _BEFORE),
    **dict.fromkeys(("--snakefile", "--mode", "--attempt"), _OURS),
    **dict.fromkeys(
        ("--config", "--configfile", "--configfiles"), "dmb run has options of its own, and reads config.yaml"
    ),
    "--directory": "start dmb run in that folder",
    "--workflow-profile": "the settings of profiles/default must stay in force; use --profile, which adds to them",
    "--no-hooks": "no run would be opened or closed",
    **dict.fromkeys(("--immediate-submit", "--is"), "nobody would wait for the cells, and close the run"),
    **dict.fromkeys(("--groups", "--group-components"), "each cell is a job of its own"),
    **dict.fromkeys(("--delete-all-output", "--delete-temp-output"), "evidence is not deleted by a run"),
    **dict.fromkeys(
        ("--help", "--version", "--unlock", "--lint", "--report", "--summary", "--detailed-summary"), _ELSE
    ),
    **dict.fromkeys(("--dag", "--rulegraph", "--filegraph", "--d3dag", "--archive", "--cleanup-metadata"), _ELSE),
    **dict.fromkeys(("--cleanup-shadow", "--generate-unit-tests", "--containerize", "--export-cwl"), _ELSE),
    **dict.fromkeys(("--print-compilation", "--list-rules", "--list-target-rules", "--list-changes"), _ELSE),
    **dict.fromkeys(("--list-input-changes", "--list-params-changes", "--list-untracked", "--list-conda-envs"), _ELSE),
    **dict.fromkeys(("--conda-create-envs-only", "--conda-cleanup-envs", "--deploy-sources"), _ELSE),
    **dict.fromkeys(("--draft-notebook", "--edit-notebook", "--list", "--container-cleanup-images"), _ELSE),
    **dict.fromkeys(("--lt", "--lc", "--li", "--lp", "--lu", "--cm"), _ELSE),
}
_SHORT = {
    "f": "--force",
    "F": "--forceall",
    "R": "--forcerun",
    "t": "--touch",
    "U": "--until",
    "O": "--omit-from",
    "n": "--dry-run",
    "C": "--config",
    "d": "--directory",
    "s": "--snakefile",
    "e": "--executor",
    "j": "--jobs",
    "h": "--help",
    "v": "--version",
    "l": "--list-rules",
    "S": "--summary",
    "D": "--detailed-summary",
}
#: Short options that take no value, so that another one may follow in the same word.
_FLAGS = "kp"

#: Snakemake's own ways of not carrying anything out.
_NO_PLACES = {"dryrun": _AUDIT, "touch": _PLANS, "slurm-jobstep": "it is what a job of slurm's uses; say slurm"}


def handed_on(executor: str | None, profile: str | None, jobs: int | None, words: Sequence[str]) -> list[str]:
    """Arguments for Snakemake, after its target. Raises ``UsageError``.

    An executor brings the profile of its name along, where the checkout has one; a profile that is named comes after it,
    so that a site's own settings win.
    """
    _check(words)
    if profile is not None:
        _check_profile(profile)
    if executor is not None:
        _check_executor(executor)
    profiles = [str(PROFILES / executor)] if executor is not None and (PROFILES / executor).is_dir() else []
    if profile is not None and profile not in profiles:
        profiles.append(profile)
    found: list[str] = []
    for name in profiles:
        found += ["--profile", name]
    if executor is not None:
        found += ["--executor", executor]
    if jobs is not None:
        found += ["--jobs", str(jobs)]
    return [*found, *words]


def _check_profile(name: str) -> None:
    from snakemake.cli import get_profile_dir

    if not name or get_profile_dir(name) is None:
        raise UsageError(f"--profile {name!r}: is not there; name a folder with a config.yaml, or give its path")


def _check_executor(name: str) -> None:
    if name in _NO_PLACES:
        raise UsageError(f"--executor {name}: {_NO_PLACES[name]}")
    plugin = f"snakemake_executor_plugin_{name.replace('-', '_')}"
    if name != "local" and not (plugin.isidentifier() and find_spec(plugin)):
        raise UsageError(
            f"--executor {name}: snakemake-executor-plugin-{name} is not installed; "
            "the extra `cluster` has those for slurm and cluster-generic: docs/cluster.md"
        )


def _check(words: Sequence[str]) -> None:
    if words and not words[0].startswith("-"):
        raise UsageError(f"{words[0]!r}: dmb run has one target; name another release with --release")
    if "--" in words[1:] or words[:1] == ["--"]:
        raise UsageError("'--' stands once: what comes after a second one would be another target")
    for word in words:
        for name in _names(word):
            if name in REFUSED:
                raise UsageError(f"{word}: is not handed on to snakemake ({name}): {REFUSED[name]}")


def _names(word: str) -> Iterator[str]:
    """The refused options that a word may be read as."""
    if word.startswith("--"):
        given = word.partition("=")[0]
        if given in REFUSED:
            yield given
        # as argparse has it, any beginning will do
        elif len(given) > 2:
            yield from (name for name in REFUSED if name.startswith(given))
    elif word.startswith("-"):
        for letter in word[1:]:
            if letter in _SHORT:
                yield _SHORT[letter]
            if letter not in _FLAGS:
                return
