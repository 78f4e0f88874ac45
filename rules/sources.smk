# Third-party files: mirrored or downloaded, and never with other bytes than the pinned ones.
rule sources:
    input:
        DMB.sources(),


rule source:
    output:
        "data/raw/{source}.{sha}",
    log:
        "data/raw/{source}.{sha}.log",
    shell:
        "{PYTHON:q} -m dmb source {wildcards.source} {output} 2> >(tee {log} >&2)"
