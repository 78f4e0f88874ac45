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
        # stderr stays the terminal's, so that a download shows its progress
        "{PYTHON:q} -m dmb source {wildcards.source} {output} {log}"
