"""Buffers after the last step, persistent or not: every rank's is held against one rank's, but for those that are meant to be
of their rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import torch

from .gather import whole


@dataclass(frozen=True)
class Buffer:
    shape: tuple[int, ...]  # as built
    is_local: bool  # a pattern names it
    value: torch.Tensor | None  # None: this rank does not hold it


def buffers_after(
    shapes: Mapping[str, tuple[int, ...]], held: Mapping[str, torch.Tensor], local_patterns: Sequence[str]
) -> dict[str, Buffer]:
    """Collective over the meshes of those that are DTensors."""
    found = {}
    for name, shape in shapes.items():
        is_local = any(fnmatchcase(name, pattern) for pattern in local_patterns)
        value = as_float64(whole(held[name])) if name in held and not is_local else None
        found[name] = Buffer(shape, is_local, value)
    return found


def as_float64(tensor: torch.Tensor) -> torch.Tensor:
    """A copy on the CPU that has other bits where the tensor has: of whole numbers the two halves, since a float64 does not
    hold all of them."""
    plain = tensor.detach().cpu()
    if plain.is_complex():
        plain = torch.view_as_real(plain.resolve_conj())
    if not plain.is_floating_point():
        wide = plain.to(torch.int64)
        plain = torch.stack([wide >> 32, wide & 0xFFFFFFFF])
    return plain.to(dtype=torch.float64, copy=True).contiguous()
