"""torchtitan: a driver for each way in which its releases build a model."""

from __future__ import annotations

from ordercheck_pytorch.api import newest_for_torch

from . import release_0_2, release_0_3

PROJECT = newest_for_torch(release_0_3.PROJECT, release_0_2.PROJECT)
