"""What the intervals and tests of dmb.metrics hold, by simulation at the sizes of the suites; writes docs/statistics.md."""
