"""Random numbers that a training step draws. A rank draws for the elements that it holds, and holds others in each layout, so a
draw from PyTorch's default generator is refused there, but for dropout's (dropout.py). One from a generator that the program
made and seeded is keyed by it, and passes, as does what a batch is drawn with, before any layout is applied to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ...process_state import CASE_STATE


@contextlib.contextmanager
def _draws(refused: bool) -> Iterator[None]:
    before = CASE_STATE.refuses_draws
    CASE_STATE.refuses_draws = refused
    try:
        yield
    finally:
        CASE_STATE.refuses_draws = before


def refusing_draws() -> contextlib.AbstractContextManager[None]:
    return _draws(refused=True)


@contextlib.contextmanager
def of_samples(samples: Sequence[int] | str) -> Iterator[None]:
    """What a forward and its backward are of; or, as a message goes on, why nobody knows."""
    before = CASE_STATE.samples
    CASE_STATE.samples = samples
    try:
        yield
    finally:
        CASE_STATE.samples = before


def allowing_draws() -> contextlib.AbstractContextManager[None]:
    return _draws(refused=False)


def is_refused_draw(values: list[Any]) -> bool:
    return CASE_STATE.refuses_draws and not any(isinstance(value, torch.Generator) for value in values)
