"""Exact kernels at the dispatch key of GPUs, called there with tensors of the host: in place, and refusing as on a CPU."""

from collections.abc import Iterator

import pytest
import torch
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.kernels import Unsupported
from ordercheck_pytorch.torch_compat import CAN_HOLD_KERNELS, has_kernel, only

pytestmark = pytest.mark.skipif(
    not (CAN_HOLD_KERNELS and has_kernel("aten::mm", "CUDA")), reason="this torch was built without CUDA"
)


@pytest.fixture
def installed() -> Iterator[None]:
    with exact_kernels(20, "cuda"):
        yield


def at_cuda(operator: str, *args: object) -> torch.Tensor:
    result: torch.Tensor = getattr(torch.ops.aten, operator).default.redispatch(only("CUDA"), *args)
    return result


def of_thirds() -> torch.Tensor:
    return torch.arange(1, 13, dtype=torch.float64).reshape(3, 4) / 3


def test_a_product_is_the_exact_one(installed: None) -> None:
    a = of_thirds()
    assert torch.equal(at_cuda("mm", a, a.t()), torch.mm(a, a.t()))


def test_it_differs_from_the_stock_one(installed: None) -> None:
    a = of_thirds()
    exact = at_cuda("mm", a, a.t())
    assert torch.equal(exact * 2**40, (exact * 2**40).round()), "on the grid of products"


def test_what_has_no_exact_kernel_is_refused_there_too(installed: None) -> None:
    with pytest.raises(Unsupported, match="aten::cumprod"):
        at_cuda("cumprod", of_thirds(), 0)


def test_behind_it_the_stock_kernels_are_back() -> None:
    with exact_kernels(20, "cuda"):
        pass
    a = of_thirds()
    product = torch.mm(a, a.t())
    assert not torch.equal(product * 2**40, (product * 2**40).round()), "thirds are on no grid"


def test_lists_are_taken_one_by_one(installed: None) -> None:
    a, b = of_thirds(), of_thirds() * 5
    total = a.clone()
    torch.ops.aten._foreach_add_.List.redispatch(only("CUDA"), [total], [b])
    assert torch.equal(total, a + b)
    copied = torch.zeros_like(a)
    torch.ops.aten._foreach_copy_.default.redispatch(only("CUDA"), [copied], [a])
    assert torch.equal(copied, a)


def test_a_norm_of_gpus_is_what_a_cpu_composes(installed: None) -> None:
    x, weight = of_thirds(), of_thirds()[0]
    got, scale = torch.ops.aten._fused_rms_norm.default.redispatch(only("CUDA"), x, [4], weight, 1e-5)
    assert torch.equal(got, torch.nn.functional.rms_norm(x, [4], weight, 1e-5))
    g = of_thirds().flip(0)
    of = torch.ops.aten._fused_rms_norm_backward.default
    to_x, to_weight = of.redispatch(only("CUDA"), g, x, [4], scale, weight, [True, True])
    x.requires_grad_(), weight.requires_grad_()
    owed = torch.autograd.grad(torch.nn.functional.rms_norm(x, [4], weight, 1e-5), (x, weight), g)
    assert torch.allclose(to_x, owed[0], 1e-9, 1e-9)
    assert torch.allclose(to_weight, owed[1], 1e-9, 1e-9)
