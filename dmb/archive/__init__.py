"""Sealed releases: archive and restore their evidence, and say what changed since."""
