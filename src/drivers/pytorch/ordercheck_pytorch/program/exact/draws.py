"""Random numbers that a training step draws. A rank draws for the elements that it holds, and holds others in each layout, so a
draw from PyTorch's default generator is refused there. One from a generator that the program made and seeded is keyed by it,
and passes, as does what a batch is drawn with, before any layout is applied to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch


@dataclass
class Draws:
    refused: bool = False


DRAWS = Draws()


@contextlib.contextmanager
def _draws(refused: bool) -> Iterator[None]:
    before = DRAWS.refused
    DRAWS.refused = refused
    try:
        yield
    finally:
        DRAWS.refused = before


def refusing_draws() -> contextlib.AbstractContextManager[None]:
    return _draws(refused=True)


def allowing_draws() -> contextlib.AbstractContextManager[None]:
    return _draws(refused=False)


def is_refused_draw(values: list[Any]) -> bool:
    return DRAWS.refused and not any(isinstance(value, torch.Generator) for value in values)
