# Publishing: report, page, cells file and drawings from the scores.
rule publish:
    input:
        scores=ancient(told(DMB.release_scores)),
        stale=told(DMB.stale_mark),
    output:
        md=report(
            "results/{release}.md",
            caption="report/report.rst",
            category="Release",
            labels={"release": "{release}", "what": "report (Markdown)"},
        ),
        html=report(
            "results/{release}.html",
            caption="report/page.rst",
            category="Release",
            labels={"release": "{release}", "what": "page"},
        ),
        cells=report(
            "results/{release}.cells.json",
            caption="report/cells.rst",
            category="Data",
            labels={"release": "{release}", "what": "all cells (JSON)"},
        ),
        drawings=report(
            directory("results/{release}"),
            patterns=["{drawing}.svg"],
            caption="report/drawing.rst",
            category="Drawings",
            labels={"release": "{release}", "what": "{drawing}"},
        ),
    log:
        ".snakemake/dmb/publish.{release}.log",
    params:
        key=told(DMB.release_key),
    shell:
        "{PYTHON:q} -m dmb publish {wildcards.release} {params.key} 2> {log}"
