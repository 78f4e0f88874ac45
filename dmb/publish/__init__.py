"""From a release's scores to what is read: Markdown, a page, drawings, a cells file and an attribution file.

``release.py`` holds the release, ``tables/`` turns it into neutral tables, ``sections.py`` says in which order they are
read, ``markdown.py`` and ``page.py`` spell them, ``figures`` draws, and ``write.py`` puts the files in place.
Nothing here computes a statistic: every number was made by scoring and is only formatted.
"""
