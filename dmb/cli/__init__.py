"""The command line: a thin front; the workflow does the work."""
