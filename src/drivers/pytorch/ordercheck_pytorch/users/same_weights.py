"""Whether all ranks built the same weights: a layout is held against a run of another process, which builds them once more."""

from __future__ import annotations

import ctypes
import hashlib

import torch
import torch.distributed as dist
from torch import nn

from ..program.exact.kernels import Unsupported
from ..program.gather import local


def check_same_weights(model: nn.Module, factory: str) -> None:
    """Raises Unsupported with the first tensor that another rank built otherwise. Collective over all ranks."""
    mine = {name: digest_of(tensor) for name, tensor in [*model.named_parameters(), *model.named_buffers()]}
    every: list[dict[str, str]] = [{} for _ in range(dist.get_world_size())]
    dist.all_gather_object(every, mine)
    for rank, other in enumerate(every):
        apart = [name for name in {**every[0], **other} if every[0].get(name) != other.get(name)]
        if apart:
            raise Unsupported(
                f"{factory} builds {apart[0]} on rank {rank} otherwise than on rank 0: its values have to be drawn from "
                "torch's seed, and to be drawn at all"
            )


def digest_of(tensor: torch.Tensor) -> str:
    plain = local(tensor).detach().cpu().contiguous()
    data = ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size()) if plain.numel() else b""
    return f"{plain.dtype} {list(plain.shape)} {hashlib.blake2b(data, digest_size=16).hexdigest()}"
