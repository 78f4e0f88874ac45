# Items: a pure function of suite file, builder and sources; identities and texts apart.
rule items:
    input:
        ancient(told(DMB.items_inputs)),
    output:
        identity="data/items/{suite}.{sha}.jsonl",
        texts="data/items/{suite}.{sha}.texts.jsonl",
    log:
        "data/items/{suite}.{sha}.log",
    shell:
        "{PYTHON:q} -m dmb items {wildcards.suite} {wildcards.sha} {output.identity} {output.texts} 2> {log}"


rule train:
    input:
        ancient(told(DMB.items_inputs)),
    output:
        "data/items/{suite}.{sha}.train.jsonl",
    log:
        "data/items/{suite}.{sha}.train.log",
    shell:
        "{PYTHON:q} -m dmb train {wildcards.suite} {wildcards.sha} {output} 2> {log}"
