# The plan, and what the wildcards may be. What the functions do stands in dmb/planning/driver.py, and for the process of
# a single job, which parses this as well, in dmb/planning/joined.py: it loads no more than its own job needs.
import gc
import sys

sys.path.insert(0, workflow.basedir)

from dmb.errors import DmbError
from dmb.planning.saying import refuse
from dmb.planning.workflow_functions import of_wildcards, told
from dmb.store.run_state import RUN_VARIABLE

try:
    if workflow.is_main_process:
        # what is made of the plan stays to the end: looking through it again and again would be a fifth of all the time
        gc.disable()
        from dmb.planning.driver import Driver

        DMB = Driver(config, dry=workflow.output_settings.dryrun)
        DMB.lanes.join(workflow)
    else:
        from dmb.planning.joined import JoinedDriver

        DMB = JoinedDriver()
except DmbError as e:
    refuse(e)


# the one thing that a job's process is told by the main one; executors hand on what is declared
envvars:
    RUN_VARIABLE,


# the very Python that runs the workflow, whatever stands first on PATH
PYTHON = sys.executable


wildcard_constraints:
    contender="[a-z0-9]+(-[a-z0-9]+)*",
    suite="[a-z0-9]+(-[a-z0-9]+)*",
    source="[a-z0-9]+(-[a-z0-9]+)*",
    release=DMB.release_pattern(),
    cell="[0-9a-f]{16}",
    score="[0-9a-f]{16}",
    sha="[0-9a-f]{12}",
    n=r"\d+",
