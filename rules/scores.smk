# Scores: free, offline, from the bytes that a receipt points at.
rule score:
    input:
        receipt=ancient("runs/_cells/{contender}.{suite}/{cell}/receipt.{n}.json"),
        frozen=ancient(told(DMB.score_inputs)),
        reference=ancient(told(DMB.score_reference)),
    output:
        "runs/_cells/{contender}.{suite}/{cell}/score.{n}.{score}.json",
    log:
        "runs/_cells/{contender}.{suite}/{cell}/score.{n}.{score}.log",
    shell:
        "{PYTHON:q} -m dmb score {input.receipt} {wildcards.score} {output} {input.reference} 2> {log}"


rule selected:
    input:
        told(DMB.selected),
