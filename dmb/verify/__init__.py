"""A published release held to its evidence, and any of its numbers led back to the bytes that it was made from."""
