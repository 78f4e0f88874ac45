"""One item to one decision; a lane; a cell. The engine alone decides what is retried, and writes everything down."""
