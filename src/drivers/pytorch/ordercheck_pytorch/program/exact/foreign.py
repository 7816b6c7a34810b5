"""Refuses floats to code that no kernel of ATen sees: operators of other libraries that are written in C++ (a sum in them
rounds), and numpy, which is handed a tensor's memory.

Operators that are written in Python call operators of ATen, whose kernels are exact. What reads memory by its address is not
noticed: ctypes, and a kernel of Triton, which no CPU has."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ...process_state import CASE_STATE
from ...torch_compat import (
    CAN_HOLD_KERNELS,
    OVER_A_KERNEL,
    all_operators,
    has_kernel,
    held_kernel,
    is_registered_in_python,
    only,
    take_back,
)
from .guard import is_inexact
from .kernels import Unsupported
from .stock import KEY, tensors_of

# Of torch itself: they move numbers, or are written in operators of ATen. Not here: mkldnn, onednn, quantized ...
WITHOUT_SUMS = {
    "aten",
    "prims",
    "prim",
    "c10d",
    "c10d_functional",
    "_c10d_functional",
    "_c10d_functional_autograd",
    "_dtensor",
    "fsdp",
    "symm_mem",
    "inductor",
    "_inductor_test",
    "profiler",
    "rngprims",
    "streams",
    "debugprims",
    "debug_mode_ops",
    "export",
    "flex_lib",
    "onnx",
    "onnx_symbolic",
    "static_runtime",
    "quantized_decomposed",
}
KERNEL_KEYS = ("CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
OUT_OF_TORCH = (
    "numpy",
    "__dlpack__",
)  # of torch.Tensor; __array__ calls numpy. To print a tensor calls tolist


@contextlib.contextmanager
def refusing_what_is_foreign() -> Iterator[None]:
    refuse_foreign_operators()
    stock_methods = {name: getattr(torch.Tensor, name) for name in OUT_OF_TORCH}
    own = {name: torch.Tensor.__dict__[name] for name in OUT_OF_TORCH if name in torch.Tensor.__dict__}
    for name, method in stock_methods.items():
        setattr(torch.Tensor, name, refusing_floats(name, method))
    try:
        yield
    finally:
        for name in OUT_OF_TORCH:
            if name in own:
                setattr(torch.Tensor, name, own[name])
            else:
                delattr(torch.Tensor, name)
        for library in CASE_STATE.refusing.values():
            take_back(library)
        CASE_STATE.refusing.clear()
        CASE_STATE.refused_operators.clear()


def refuse_foreign_operators() -> None:
    """Those that are there now: a user's function may have loaded a library."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Warning only once for all operators")
        for name in foreign_operators():
            if name in CASE_STATE.refused_operators:
                continue
            CASE_STATE.refused_operators.add(name)
            namespace, _, operator = name.partition("::")
            if namespace not in CASE_STATE.refusing:
                CASE_STATE.refusing[namespace] = torch.library.Library(namespace, "IMPL")
            CASE_STATE.refusing[namespace].impl(operator, refusing_operator(name), KEY, **OVER_A_KERNEL)


def foreign_operators() -> list[str]:
    return [
        name for name in all_operators() if name.partition("::")[0] not in WITHOUT_SUMS and is_in_cpp(name)
    ]


def is_in_cpp(name: str) -> bool:
    """Whether what a CPU runs of it was not registered in Python."""
    has = [key for key in KERNEL_KEYS if has_kernel(name, key)]
    return bool(has) and not is_registered_in_python(name, has[0])


def refusing_operator(name: str) -> Callable[..., Any]:
    """In the place of its kernel. A call without floats goes on to that."""
    namespace, _, operator = name.partition("::")
    base, _, which = operator.partition(".")
    overload = getattr(getattr(getattr(torch.ops, namespace), base), which or "default")
    kernel = held_kernel(name, "CPU") if CAN_HOLD_KERNELS else None

    def call(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        if any(x.device.type == "meta" for x in tensors_of(given)):  # shapes are worked out
            return overload.redispatch(only("Meta"), *args, **kwargs)
        if any(is_inexact(value) for value in given):
            raise Unsupported(f"{name} is written in C++ outside of ATen, and has no exact kernel")
        return kernel(*args, **kwargs) if kernel else overload.redispatch(only("CPU"), *args, **kwargs)

    return call


def refusing_floats(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    def call(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if is_inexact(tensor):
            raise Unsupported(
                f"Tensor.{name} hands a float to code outside of torch, which has no exact kernels"
            )
        return method(tensor, *args, **kwargs)

    return call
