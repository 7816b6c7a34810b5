"""Writes a case as one script for torchrun that needs nothing of ordercheck: what a maintainer can be shown."""
