# Asking. What was paid for lies in the run's directory, which the workflow never touches; a job declares a receipt.
rule ask:
    input:
        ancient(told(DMB.ask_inputs)),
    output:
        CELL + "/receipt.{n}.json",
    log:
        CELL + "/ask.{n}.log",
    threads: DMB.ask_threads
    shell:
        "{PYTHON:q} -m dmb ask {wildcards.cell} {output} 2> {log}"
