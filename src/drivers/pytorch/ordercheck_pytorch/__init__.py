"""The pytorch engine of ordercheck: a worker that builds cases with stock PyTorch and reports what it saw."""
