"""Elementwise operators whose stock kernels round an element otherwise where it lies elsewhere: at the end of a row, or not
beside the next one. A layout that cuts a tensor would see other numbers. Composed of operators that are stable, or computed on
whole vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from .kernels import MEAN, as_tensor, into, is_exact, kernel, room_for, stock_path, with_variants
from .stock import stock

WHOLE_VECTORS = 64  # elements: a multiple of every vector's width, and of what a loop is unrolled by


def on_whole_vectors(compute: Callable[..., torch.Tensor], *inputs: torch.Tensor) -> torch.Tensor:
    """An elementwise kernel on elements that lie side by side, padded with ones, so that no element is a left-over."""
    result = room_for(*inputs)
    inputs = torch.broadcast_tensors(*inputs)
    count = inputs[0].numel()
    padded = []
    for x in inputs:
        vector = torch.ones(-(-count // WHOLE_VECTORS) * WHOLE_VECTORS, dtype=x.dtype)
        vector[:count].copy_(x.reshape(-1))
        padded.append(vector)
    return result.copy_(compute(*padded)[:count].view(result.shape))


def square_root(x: torch.Tensor) -> torch.Tensor:
    """Correctly rounded, as IEEE 754 says. torch.sqrt of float64 asks MKL, as x ** 0.5 does, whose root is off by a bit for a
    hundredth of all numbers on some processors. The root of a complex number asks the C library, which takes the processor's
    own where there is no imaginary part."""
    root = stock("sqrt")(torch.complex(x, torch.zeros_like(x))).real
    special = x <= 0  # NaN of a negative one, and the sign of a zero stays
    return torch.where(special, stock("sqrt")(x), root) if bool(special.any()) else root.clone()


def _one_and(x: torch.Tensor) -> torch.Tensor:
    """x + 1 in place: the kernel of a difference is the stock one, which saves the way through Python."""
    return x.sub_(-1.0)


def sigmoid(x: torch.Tensor) -> torch.Tensor:
    return _one_and(x.neg().exp_()).reciprocal_()


def silu(x: torch.Tensor) -> torch.Tensor:
    return x / _one_and(x.neg().exp_())


def silu_backward(g: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    s = sigmoid(x)
    result = stock("mul.Tensor")(g, s)
    one_less_s = _one_and(s.neg_())
    return stock("mul_.Tensor")(result, _one_and(stock("mul_.Tensor")(one_less_s, x)))


def gelu(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    if approximate == "none":
        return x * (torch.erf(x * math.sqrt(0.5)).add_(1.0).mul_(0.5))
    inner = (x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)
    return x * (torch.tanh(inner).add_(1.0).mul_(0.5))


def gelu_backward(g: torch.Tensor, x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    if approximate == "none":
        cdf = torch.erf(x * math.sqrt(0.5)).add_(1.0).mul_(0.5)
        pdf = (x * x * -0.5).exp_().mul_(1 / math.sqrt(2 * math.pi))
        return g * (cdf + x * pdf)
    k = math.sqrt(2 / math.pi)
    t = torch.tanh((x + x * x * x * 0.044715) * k)
    return g * ((t + 1.0) * 0.5 + x * 0.5 * (1.0 - t * t) * ((x * x * (3 * 0.044715) + 1.0) * k))


def _as_float64(args: tuple[Any, ...]) -> list[Any] | None:
    """The arguments with whole numbers beside a float64 converted, as type promotion does. None where the result is of another
    dtype."""
    tensors = [x for x in args if isinstance(x, torch.Tensor)]
    if all(is_exact(x) for x in tensors):
        return list(args)
    if len(tensors) == 2 and torch.result_type(*tensors) is torch.float64:
        return [x.to(torch.float64) if isinstance(x, torch.Tensor) else x for x in args]
    return None


def _declare_elementwise(
    name: str, compute: Callable[..., torch.Tensor], out: str = "out", in_place: bool = False
) -> None:
    def functional(*args: Any, **kwargs: Any) -> torch.Tensor:
        exact = _as_float64(args)
        return stock_path(name, *args, **kwargs) if exact is None else compute(*exact, **kwargs)

    with_variants(name, functional, out, in_place=in_place)


def _padded(name: str) -> Callable[..., torch.Tensor]:
    def compute(*args: Any, **kwargs: Any) -> torch.Tensor:
        tensors = [x for x in args if isinstance(x, torch.Tensor)]

        def call(*vectors: torch.Tensor) -> torch.Tensor:
            rest = iter(vectors)
            filled = [next(rest) if isinstance(x, torch.Tensor) else x for x in args]
            return stock(name)(*filled, **kwargs)

        return on_whole_vectors(call, *tensors)

    return compute


_declare_elementwise("sqrt", square_root, in_place=True)
_declare_elementwise("sigmoid", sigmoid, in_place=True)
_declare_elementwise("silu", silu, in_place=True)
_declare_elementwise("gelu", gelu, in_place=True)
_declare_elementwise("silu_backward", silu_backward, out="grad_input")
_declare_elementwise("gelu_backward", gelu_backward, out="grad_input")
for _name in ("elu", "mish", "exp2", "atan2", "hypot"):
    _declare_elementwise(_name, _padded(_name), in_place=True)
for _name in ("softplus", "logaddexp"):
    _declare_elementwise(_name, _padded(_name))
for _name in ("softplus_backward", "elu_backward"):
    _declare_elementwise(_name, _padded(_name), out="grad_input")


@kernel("mish_backward")
def mish_backward(g: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return _padded("mish_backward")(g, x) if is_exact(g) else stock_path("mish_backward", g, x)


@kernel("smooth_l1_loss_backward.grad_input")
def smooth_l1_loss_backward(
    g: torch.Tensor,
    x: torch.Tensor,
    target: torch.Tensor,
    reduction: int,
    beta: float,
    *,
    grad_input: torch.Tensor,
) -> torch.Tensor:
    if not is_exact(x):
        return stock_path("smooth_l1_loss_backward.grad_input", g, x, target, reduction, beta, grad_input=grad_input)
    difference = x - target
    scaled = g * (1.0 / difference.numel() if reduction == MEAN else 1.0)
    inner = stock("mul.Tensor")(difference, scaled) / beta
    outer = torch.where(difference <= -beta, -scaled, torch.where(difference >= beta, scaled, inner))
    return into(grad_input, outer)


@kernel("pow.Tensor_Tensor")
def power(base: Any, exponent: Any) -> torch.Tensor:
    """A number on either side reaches a kernel in Python as such: 2 ** x is handed on as tensors by the stock kernel."""
    base, exponent = as_tensor(base, exponent), as_tensor(exponent, base)
    exact = _as_float64((base, exponent))
    if exact is None:
        return stock_path("pow.Tensor_Tensor", base, exponent)
    return _padded("pow.Tensor_Tensor")(*exact)


@kernel("pow.Scalar")
def power_of_number(base: Any, exponent: torch.Tensor) -> torch.Tensor:
    return power(base, exponent).contiguous()  # as ATen's is


@kernel("pow.Tensor_Tensor_out", "pow.Scalar_out")
def power_out(base: Any, exponent: Any, *, out: torch.Tensor) -> torch.Tensor:
    return into(out, power(base, exponent))


@kernel("pow_.Tensor")
def power_(base: torch.Tensor, exponent: Any) -> torch.Tensor:
    return base.copy_(power(base, exponent))


def _complex_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """In real arithmetic, one rounding a step: of the stock kernel the last number of a row is rounded otherwise."""
    x, y = torch.view_as_real(a), torch.view_as_real(b)
    ar, ai, br, bi = x[..., 0], x[..., 1], y[..., 0], y[..., 1]
    return torch.complex(ar * br - ai * bi, stock("add.Tensor")(ar * bi, ai * br))


def _are_complex(a: Any, b: Any) -> bool:
    return (
        isinstance(a, torch.Tensor)
        and a.dtype is torch.complex128
        and isinstance(b, torch.Tensor)
        and b.dtype is torch.complex128
    )


def _refuse_other_complex(name: str, *operands: Any) -> None:
    for x in operands:
        if isinstance(x, torch.Tensor) and x.dtype in (torch.complex64, torch.complex32):
            stock_path(name, x)


@kernel("mul.Tensor")
def mul(a: Any, b: Any) -> torch.Tensor:
    if _are_complex(a, b):
        return _complex_product(a.resolve_conj(), b.resolve_conj())
    _refuse_other_complex("mul.Tensor", a, b)
    return stock("mul.Tensor")(as_tensor(a, b), as_tensor(b, a))


@kernel("mul.out")
def mul_out(a: Any, b: Any, *, out: torch.Tensor) -> torch.Tensor:
    if _are_complex(a, b):
        return into(out, mul(a, b))
    _refuse_other_complex("mul.out", a, b)
    return stock("mul.out")(as_tensor(a, b), as_tensor(b, a), out=out)


@kernel("mul_.Tensor")
def mul_(a: torch.Tensor, b: Any) -> torch.Tensor:
    if _are_complex(a, b):
        return a.copy_(mul(a, b))
    _refuse_other_complex("mul_.Tensor", a, b)
    return stock("mul_.Tensor")(a, as_tensor(b, a))


@kernel("histc")
def histc(x: torch.Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> torch.Tensor:
    """Counts. Of whole numbers, as experts count their tokens, the CPU has no kernel: they are counted as float64."""
    if x.is_floating_point():
        return stock("histc")(x, bins, min, max)
    return stock("histc")(x.to(torch.float64), bins, min, max).to(x.dtype)
