"""A script short enough to read: a stack of stock PyTorch on a model of which no sum rounds, so that no kernel is replaced."""
