"""How many cells of one lane are under way at once, wherever they are asked, and what a start must find in order.

A lane takes so many requests at once, over all hosts: locks see to that (`dmb/engine/lane.py`). Were all its cells submitted,
most of them would sit on a node each and wait for a slot, while their deadline runs. So the workflow itself holds them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dmb.errors import DmbError, UsageError
from dmb.planning.workflow_functions import of_wildcards

#: Rules that ask: wherever jobs go, and on the submitting host whatever happens.
ASK, ASK_HERE = "ask", "ask_here"

#: One keeps a lane busy, and the next one starts up meanwhile.
CELLS_A_LANE = 2

_PREFIX = "lane_"

#: What `profiles/default` sets and every plan depends on.
TRIGGERS = frozenset({"mtime"})


class Lanes:
    """The lanes as resources of the workflow. ``job_of``: wildcards of the asking rules -> the cell as planned."""

    def __init__(self, lanes: Iterable[str], job_of: Callable[[Any], Mapping[str, Any]]) -> None:
        self._lanes, self._job_of = sorted(lanes), job_of
        self._workflow: Any = None

    def shares(self) -> dict[str, Callable[[Any], int | None]]:
        """Resources: of its own lane a job takes one, and of the others it says nothing."""
        return {lane_resource(lane): self._share_of(lane) for lane in self._lanes}

    def _share_of(self, lane: str) -> Callable[[Any], int | None]:
        return of_wildcards(lambda wildcards: 1 if _lane_of(self._job_of(wildcards)) == lane else None)

    def join(self, workflow: Any) -> None:
        """Let limits be set in this workflow from now on.

        Raises ``UsageError`` where somebody has set a limit of a lane by name.
        """
        settings = workflow.resource_settings
        by_hand = {
            "--resources": workflow.global_resources,
            "--set-resources": [name for names in settings.overwrite_resources.values() for name in names],
            "--set-resource-scopes": settings.overwrite_resource_scopes or (),
        }
        for option, names in by_hand.items():
            if name := next((n for n in names if n.startswith(_PREFIX)), None):
                raise UsageError(f"{option}: {name} is DMB's own, {CELLS_A_LANE} cells of a lane at once; leave it out")
        self._workflow = workflow

    def cap(self, cells: Iterable[Mapping[str, Any]]) -> None:
        """Limit what is under way in the lanes of these cells, which are to be asked.

        This comes after the command line and the profiles were read, so nothing there lifts it: ``--resources`` would take
        the place of a profile's whole list, and here there is no list.
        """
        if self._workflow is not None:
            for lane in sorted({lane for job in cells if (lane := _lane_of(job)) is not None}):
                self._workflow.register_resource(lane_resource(lane), CELLS_A_LANE)


def lane_resource(lane: str) -> str:
    """The workflow's resource that stands for a lane."""
    return _PREFIX + lane.replace("-", "_")


def _lane_of(job: Mapping[str, Any]) -> str | None:
    """None where it is skipped, or answers in its own process."""
    return None if job["skip"] is not None or job["entry"].get("baseline") else job["lane"]["id"]


def check_settings(triggers: Iterable[Any], limits: Mapping[str, int | None]) -> None:
    """Raises ``DmbError`` where another workflow profile took the place of `profiles/default` and says less, and where
    the workflow would wait for ever. ``limits``: option -> what was given."""
    if option := next((o for o, n in limits.items() if n is not None and n < 1), None):
        raise UsageError(f"{option} {limits[option]}: no job would ever begin; give 1 at least")
    found = {str(t).rpartition(".")[2].lower() for t in triggers}
    if found != TRIGGERS:
        raise DmbError(
            f"rerun-triggers are {', '.join(sorted(found))}, so the settings of profiles/default are not in force; "
            "hand a profile over with --profile, which adds to them, not with --workflow-profile"
        )


def check_resources(jobs: Iterable[Any]) -> None:
    """What the command line and the profiles say of resources is worked out for each job, which the workflow itself does
    only when it starts it. Raises ``UsageError`` where that cannot be."""
    # loaded already wherever there is a job
    from snakemake_interface_common.exceptions import WorkflowError

    for job in jobs:
        try:
            # worked out when it is looked at, and kept
            _ = job.resources
        except WorkflowError as e:
            # what went wrong stands behind the last of its causes
            while e.__cause__ is not None:
                e = e.__cause__
            raise UsageError(f"resources of {job.rule.name}: {' '.join(str(e).split())}") from None


def forget_earlier_submissions(persistence: Any, jobs: Iterable[Any]) -> None:
    """A killed start leaves notes of what it had submitted; an executor would wait for that instead of submitting anew.

    But those jobs belong to a run that has ended, and refuse.
    """
    for job in jobs:
        if job.rule.name in (ASK, ASK_HERE) and persistence.external_jobids(job):
            persistence.cleanup(job)
