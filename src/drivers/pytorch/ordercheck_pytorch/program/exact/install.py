"""Puts the exact kernels in the place of the stock ones, for as long as a case of exact arithmetic runs."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Iterator

import torch

from ...process_state import CASE_STATE
from ...torch_compat import CAN_HOLD_KERNELS, OVER_A_KERNEL, operators_with_kernels, take_back
from . import (  # noqa: F401  each declares its kernels
    attention,
    clipping,
    contractions,
    elementwise,
    layer_norms,
    losses,
    optimizers,
    rms_norms,
    scatters,
    softmax,
    sums,
    vector_norms,
)
from .casts import CASTING, refusing_autocast, refusing_to_cast
from .dropout import DROPOUT
from .factors import coarse_kernels
from .foreign import refusing_what_is_foreign
from .guard import DRAW, drawing_operators, refused_operators, refusing
from .inductor import calling_operators
from .kernels import ALSO_STOCK, GPU_KERNELS, KERNELS, Unsupported
from .lists import lists_one_by_one
from .parameters import parameters_on_grid
from .reductions import exact_reductions
from .stock import KEY, placed, places_of, take_stock


@contextlib.contextmanager
def exact_kernels(grid: int, device: str = "cpu", coarse_factors: bool = False) -> Iterator[None]:
    """Within, the kernels of this process are exact, those of the device among them; behind it the stock ones are back."""
    CASE_STATE.product_bits, CASE_STATE.range_used = grid, 0.0
    places = places_of(device)
    if len(places) > 1 and not CAN_HOLD_KERNELS:
        raise Unsupported("exact arithmetic on a GPU needs a torch that has torch.library.get_kernel")
    coarse = coarse_kernels() if coarse_factors else {}
    kernels = {place: KERNELS | (GPU_KERNELS if place.device == "CUDA" else {}) | coarse for place in places}
    lists = {
        place: lists_one_by_one(operators_with_kernels("CUDA") if place.device == "CUDA" else [])
        for place in places
    }
    refused = {place: refused_operators(operators_with_kernels(place.device)) for place in places}
    for name in [
        *itertools.chain(*kernels.values()),
        *ALSO_STOCK,
        *itertools.chain(*refused.values()),
        *CASTING,
    ]:
        take_stock(name, places)
    over_stock = OVER_A_KERNEL
    # First what imports the compiler, which tries an operator or two of its own on float32.
    with (
        calling_operators(),
        _library() as library,
        exact_reductions(),
        parameters_on_grid(),
        contextlib.ExitStack() as foreign,
    ):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Warning only once for all operators")
            for place in places:
                for name, function in (kernels[place] | lists[place]).items():
                    library.impl(name, placed(name, function), place.key, **over_stock)
                for name, kind in refused[place].items():
                    if name in lists[place] or name in coarse:
                        continue
                    library.impl(name, placed(name, refusing(name, kind)), place.key, **over_stock)
                for name in CASTING:
                    library.impl(name, placed(name, refusing_to_cast(name)), place.key, **over_stock)
            foreign.enter_context(refusing_what_is_foreign())
            foreign.enter_context(refusing_autocast())
        yield


@contextlib.contextmanager
def keyed_draws() -> Iterator[None]:
    """In arithmetic that rounds: dropout's kernel, and refusals of what else draws in a step. The rest is stock."""
    refused = drawing_operators(operators_with_kernels("CPU"))
    for name in [*DROPOUT, *refused]:
        take_stock(name, places_of("cpu"))
    with _library() as library:
        for name, function in DROPOUT.items():
            library.impl(name, placed(name, function), KEY, **OVER_A_KERNEL)
        for name in refused:
            library.impl(name, placed(name, refusing(name, DRAW)), KEY, **OVER_A_KERNEL)
        yield


@contextlib.contextmanager
def _library() -> Iterator[torch.library.Library]:
    library = torch.library.Library("aten", "IMPL")
    try:
        yield library
    finally:
        take_back(library)


@contextlib.contextmanager
def measured_range(fan_in: int) -> Iterator[None]:
    """Within, kernels bound what they add up, and raise OutOfRange past it."""
    CASE_STATE.range_measured, CASE_STATE.fan_in = True, fan_in
    try:
        yield
    finally:
        CASE_STATE.range_measured = False
