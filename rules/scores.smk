# Scores: free, offline, from the bytes that a receipt points at.
rule score:
    input:
        receipt=ancient(CELL + "/receipt.{n}.json"),
        frozen=ancient(told(DMB.score_inputs)),
        reference=ancient(told(DMB.score_reference)),
    output:
        CELL + "/score.{n}.{score}.json",
    log:
        CELL + "/score.{n}.{score}.log",
    shell:
        "{PYTHON:q} -m dmb score {input.receipt} {wildcards.score} {output} {input.reference} 2> {log}"


rule selected:
    input:
        told(DMB.selected),
