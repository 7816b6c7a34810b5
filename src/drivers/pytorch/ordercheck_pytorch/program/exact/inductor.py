"""Exact kernels under Inductor. The loops that it writes add up in an order of their own and are out of a kernel's reach:
while exact kernels are in place it calls operators instead (its fallback_by_default), so that a graph is captured, decomposed
and partitioned as ever, and its operators run as kernels."""

from __future__ import annotations

import contextlib
from typing import Any

CALLS_OPERATORS = "compile=inductor: operators of its graphs run as kernels (fallback_by_default), not as loops that it writes"


def calls_operators() -> bool:
    from torch._inductor import config

    return bool(getattr(config, "fallback_by_default", False))


def calling_operators() -> contextlib.AbstractContextManager[Any]:
    from torch._inductor import config

    if not hasattr(config, "fallback_by_default"):
        return contextlib.nullcontext()
    return config.patch(fallback_by_default=True)
