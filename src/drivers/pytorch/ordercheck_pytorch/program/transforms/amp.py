"""Automatic mixed precision: the forward runs under torch.autocast. Float64 is not cast, so it needs float32 arithmetic."""

from __future__ import annotations

import torch

from ..case import Item
from .program import Program, Site
from .transform import Transform


def apply_amp(program: Program, item: Item, site: Site) -> None:
    program.autocast = torch.float16 if item.mode == "fp16" else torch.bfloat16


AMP = Transform(apply_amp)
