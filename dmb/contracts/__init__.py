"""What crosses a boundary: frozen models that forbid unknown fields and do nothing."""
