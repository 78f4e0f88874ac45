"""What takes more than one cell: pure functions from scores to comparisons."""
