# DMB as a workflow: items -> asked cells -> scores -> release. Every path carries the digest of what it depends on.
from snakemake.utils import min_version

min_version("9.27.1")


include: "rules/common.smk"


# what bare `snakemake` builds: the releases under `all` in config.yaml
rule all:
    input:
        DMB.results(),


include: "rules/sources.smk"
include: "rules/suites.smk"
include: "rules/cells.smk"
include: "rules/scores.smk"
include: "rules/release.smk"
include: "rules/run.smk"


localrules:
    all,
    sources,
    source,
    items,
    train,
    score,
    selected,
    publish,
    ask_here,


report: "rules/report/workflow.rst"
