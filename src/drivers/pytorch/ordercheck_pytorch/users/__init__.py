"""A user's own model, functions, inputs and loss, in the place of this engine's or a project's parts."""
