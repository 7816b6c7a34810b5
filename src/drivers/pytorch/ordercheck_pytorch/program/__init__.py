"""What one rank does: builds a model, applies a stack to it as a user would, trains. Stands by itself: imports nothing of
the rest of the package but torch_compat and process_state, so that a reproduction script can be put together from its files."""
