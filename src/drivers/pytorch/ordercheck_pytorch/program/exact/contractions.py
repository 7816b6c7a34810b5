"""Products of matrices: both operands are rounded, the stock kernel multiplies."""

from __future__ import annotations

from typing import Any

import torch

from ...process_state import CASE_STATE
from .grid import note_range, rounded
from .kernels import KERNELS, into, is_exact, kernel, stock_path
from .stock import stock


def product(name: str, stock_name: str, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    bits = CASE_STATE.product_bits
    return product_of_rounded(name, stock_name, rounded(a, bits), rounded(b, bits))


def product_of_rounded(name: str, stock_name: str, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    note_product(name, a, b)
    return stock(stock_name)(a, b)


def note_product(name: str, a: torch.Tensor, b: torch.Tensor) -> None:
    """By Cauchy and Schwarz: no more than the norms of a row and a column."""
    if not CASE_STATE.range_measured or not a.numel() or not b.numel():
        return
    total = stock("sum.dim_IntList")
    rows = total(a * a, [-1]).max()
    columns = total(b * b, [-2 if b.ndim > 1 else -1]).max()
    note_range(name, (rows * columns) ** 0.5, 2 * CASE_STATE.product_bits)


def _declare_product(name: str) -> None:
    def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return product(name, name, a, b) if is_exact(a) else stock_path(name, a, b)

    KERNELS[name] = multiply
    if name not in ("mm", "bmm"):
        return

    def to_out(a: torch.Tensor, b: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
        if not is_exact(a):
            return stock_path(f"{name}.out", a, b, out=out)
        a, b = rounded(a, CASE_STATE.product_bits), rounded(b, CASE_STATE.product_bits)
        note_product(name, a, b)
        return stock(f"{name}.out")(a, b, out=out)

    KERNELS[f"{name}.out"] = to_out


for _name in ("mm", "bmm", "dot", "vdot"):
    _declare_product(_name)


def _declare_with_bias(name: str, of: str) -> None:
    """The product first, exact, then one rounding for each scale that is not 1 and one for the bias."""

    def affine(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: Any, alpha: Any) -> torch.Tensor:
        result = product(name, of, a, b)
        if alpha != 1:
            result = result * alpha
        if beta != 0:
            result = result + (bias if beta == 1 else bias * beta)
        return result

    @kernel(name)
    def functional(
        bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: Any = 1, alpha: Any = 1
    ) -> Any:
        if not is_exact(a):
            return stock_path(name, bias, a, b, beta=beta, alpha=alpha)
        return affine(bias, a, b, beta, alpha)

    @kernel(f"{name}.out")
    def to_out(
        bias: torch.Tensor,
        a: torch.Tensor,
        b: torch.Tensor,
        *,
        beta: Any = 1,
        alpha: Any = 1,
        out: torch.Tensor,
    ) -> Any:
        if not is_exact(a):
            return stock_path(f"{name}.out", bias, a, b, beta=beta, alpha=alpha, out=out)
        return into(out, affine(bias, a, b, beta, alpha))

    @kernel(f"{name}_")
    def on_self(
        bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: Any = 1, alpha: Any = 1
    ) -> Any:
        if not is_exact(a):
            return stock_path(f"{name}_", bias, a, b, beta=beta, alpha=alpha)
        return bias.copy_(affine(bias, a, b, beta, alpha))


_declare_with_bias("addmm", "mm")
_declare_with_bias("baddbmm", "bmm")


def _times_vector(
    bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: Any, alpha: Any
) -> torch.Tensor:
    result = product("addmv", "mm", a, b.unsqueeze(1)).squeeze(1)
    if alpha != 1:
        result = result * alpha
    if beta != 0:
        result = result + (bias if beta == 1 else bias * beta)
    return result


@kernel("addmv")
def addmv(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    if not is_exact(a):
        return stock_path("addmv", bias, a, b, beta=beta, alpha=alpha)
    return _times_vector(bias, a, b, beta, alpha)


@kernel("addmv.out")
def addmv_out(
    bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: Any = 1, alpha: Any = 1, out: torch.Tensor
) -> Any:
    if not is_exact(a):
        return stock_path("addmv.out", bias, a, b, beta=beta, alpha=alpha, out=out)
    return into(out, _times_vector(bias, a, b, beta, alpha))


@kernel("addmv_")
def addmv_(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    if not is_exact(a):
        return stock_path("addmv_", bias, a, b, beta=beta, alpha=alpha)
    return bias.copy_(_times_vector(bias, a, b, beta, alpha))
