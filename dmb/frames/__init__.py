"""A release as tables for pandas, and as files that other tools read."""
