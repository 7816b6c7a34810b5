"""Tensors as the bits of float64: what records are made of."""

from __future__ import annotations

import ctypes
import hashlib
import sys

import torch

assert sys.byteorder == "little", (
    "values are written as they lie in memory, and their format is little-endian"
)


def bytes_of(tensor: torch.Tensor) -> bytes:
    plain = tensor.detach().to(device="cpu", dtype=torch.float64).contiguous()
    return ctypes.string_at(plain.data_ptr(), plain.numel() * 8) if plain.numel() else b""


def hash_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
