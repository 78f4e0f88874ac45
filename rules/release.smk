# Publishing: report, page, cells file and plots from the scores.
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
        plots=report(
            directory("results/{release}"),
            patterns=["{plot}.svg"],
            caption="report/plot.rst",
            category="Plots",
            labels={"release": "{release}", "what": "{plot}"},
        ),
    log:
        ".snakemake/dmb/publish.{release}.log",
    params:
        key=told(DMB.release_key),
    shell:
        "{PYTHON:q} -m dmb publish {wildcards.release} {params.key} 2> {log}"
