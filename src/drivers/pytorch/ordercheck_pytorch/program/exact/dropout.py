"""What dropout drops. A stock kernel draws a number for each element that it is handed, in their order, so that another layout
drops others. Here a call draws one number from the generator; with the number of the sample and the place in it, that decides
for each element. Data parallel ranks then drop what one rank does, and a forward that is run again drops the same where
the state of the generator was put back, and only there.

A rank that holds a piece of a sample does not know which: tensor and context parallel, and pipelines, whose stages draw for
some of the layers, are refused."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...process_state import CASE_STATE
from ..counter_random import units_of_rows
from .draws import allowing_draws
from .kernels import Kernel, Unsupported, kernel
from .stock import stock


@kernel("bernoulli_.float")
def bernoulli_(x: torch.Tensor, p: float = 0.5, *, generator: Any = None) -> torch.Tensor:
    if not CASE_STATE.refuses_draws:  # not of a step
        return stock("bernoulli_.float")(x, p, generator=generator)
    if generator is not None:
        raise Unsupported(
            "aten::bernoulli_ draws random numbers from a torch.Generator of the program's own, which no microbatch seeds"
        )
    samples = samples_of(x)
    units = units_of_rows(one_draw(), samples, math.prod(x.shape[1:]))
    return x.copy_(units.view(x.shape) < p)


@kernel("native_dropout")
def native_dropout(x: torch.Tensor, p: float, train: bool | None) -> tuple[torch.Tensor, torch.Tensor]:
    """What compiled graphs call, and eager code on a GPU. Its stock kernel asks bernoulli_ on a CPU alone."""
    if x.device.type != "cpu":
        raise Unsupported(
            f"aten::native_dropout on {x.device.type} draws random numbers by the place of an element in memory, which differ "
            "between layouts"
        )
    dropped: tuple[torch.Tensor, torch.Tensor] = stock("native_dropout")(x, p, train)
    return dropped


def samples_of(x: torch.Tensor) -> list[int]:
    samples = CASE_STATE.samples
    if isinstance(samples, str):
        raise Unsupported(f"aten::bernoulli_ draws random numbers{samples}")
    if x.ndim == 0 or x.shape[0] != len(samples):
        raise Unsupported(
            f"aten::bernoulli_ draws random numbers for a tensor of the shape {list(x.shape)}; expected the {len(samples)} "
            "samples of the microbatch in its first dim"
        )
    return list(samples)


def one_draw() -> int:
    with allowing_draws():
        return int(torch.empty((), dtype=torch.int64).random_())


DROPOUT: dict[str, Kernel] = {"bernoulli_.float": bernoulli_, "native_dropout": native_dropout}
