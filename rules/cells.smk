# Asking. What was paid for lies in the run's directory, which the workflow never touches; a job declares a receipt.
rule ask:
    input:
        ancient(told(DMB.ask_inputs)),
    output:
        "runs/_cells/{contender}.{suite}/{cell}/receipt.{n}.json",
    log:
        "runs/_cells/{contender}.{suite}/{cell}/ask.{n}.log",
    threads: of_wildcards(DMB.ask_threads)
    resources:
        **DMB.ask_lanes(),
        mem_mb=of_wildcards(DMB.ask_mem_mb),
        runtime=of_wildcards(DMB.ask_runtime),
    shell:
        "{PYTHON:q} -m dmb ask {wildcards.cell} {output} 2> {log}"


# the same on the submitting host, for contenders with `local = true`
use rule ask as ask_here with:
    wildcard_constraints:
        contender=DMB.asked_here(),


ruleorder: ask_here > ask
