"""The run directory: where evidence lies, and how it gets there without ever being half-written or overwritten."""
