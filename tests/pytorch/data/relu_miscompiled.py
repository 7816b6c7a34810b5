"""The model of relu.py, and inductor told to write x + 1 for relu: a switch of its own, by which PyTorch tests its minifier."""

from __future__ import annotations

import torch._inductor.config
from relu import compile_and_shard, sound

__all__ = ["compile_and_shard", "sound"]

torch._inductor.config.cpp.inject_relu_bug_TESTING_ONLY = "accuracy"
