"""Published projects, each with a driver of its own beside this one, in the place of this package's models and transforms."""
