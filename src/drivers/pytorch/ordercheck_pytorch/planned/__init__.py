"""Traces the forward and backward of a model of any size as one graph, without its memory, for `ordercheck plan`."""
