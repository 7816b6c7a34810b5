"""A counter-based generator: numbers that are a pure function of their keys, the same in every engine and on every rank.

mix is splitmix64's finalizer (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators); key is FNV-1a."""

from __future__ import annotations

from collections.abc import Sequence

import torch

_MASK = (1 << 64) - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(x: int) -> int:
    x = (x + _STEP) & _MASK
    x = ((x ^ (x >> 30)) * _FIRST) & _MASK
    x = ((x ^ (x >> 27)) * _SECOND) & _MASK
    return x ^ (x >> 31)


def draw(first: int, *rest: int) -> int:
    x = mix(first)
    for key in rest:
        x = mix((x + key) & _MASK)
    return x


def key_of(text: str) -> int:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & _MASK
    return value


def _signed(x: int) -> int:
    return x - (1 << 64) if x >= 1 << 63 else x


def _shifted(x: torch.Tensor, bits: int) -> torch.Tensor:
    return (x >> bits) & ((1 << (64 - bits)) - 1)  # int64 shifts its sign in


def _mixed(x: torch.Tensor) -> torch.Tensor:
    x = x + _signed(_STEP)
    x = (x ^ _shifted(x, 30)) * _signed(_FIRST)
    x = (x ^ _shifted(x, 27)) * _signed(_SECOND)
    return x ^ _shifted(x, 31)


def units(seed: int, name: str, count: int) -> torch.Tensor:
    """unit(draw(seed, key(name), i)) for i below count: [count] float64 in [0, 1)."""
    return _units(torch.arange(count, dtype=torch.int64) + _signed(draw(seed, key_of(name))))


def units_of_rows(key: int, rows: Sequence[int], count: int) -> torch.Tensor:
    """unit(draw(key, row, i)) for i below count: [rows, count] float64 in [0, 1)."""
    seeds = torch.tensor([_signed(draw(key, row)) for row in rows], dtype=torch.int64)
    return _units(seeds.unsqueeze(1) + torch.arange(count, dtype=torch.int64))


def _units(keys: torch.Tensor) -> torch.Tensor:
    return _shifted(_mixed(keys), 11).to(torch.float64) * 2.0**-53
