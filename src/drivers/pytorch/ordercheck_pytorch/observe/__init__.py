"""What can be seen of a run without disturbing it."""
