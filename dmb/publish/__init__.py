"""From a release's scores to what is read: Markdown, a page, plots, a cells file and an attribution file.

``release.py`` holds the release, ``tables/`` turns it into neutral tables, ``sections.py`` says in which order they are
read, ``markdown.py`` and ``page.py`` spell them, ``plots.py`` draws, and ``write.py`` puts the files in place.
Nothing here computes a statistic: every number was made by scoring and is only formatted.
"""
