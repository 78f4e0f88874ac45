"""Whether a folder gives what shared state needs: tried, not read up. Alone, and between hosts."""
