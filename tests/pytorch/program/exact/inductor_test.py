"""Under Inductor, operators of a graph run as exact kernels: to the bit as eager, and no loop that it writes sums."""

import re

import pytest
import torch
import torch.nn.functional as F
from bits import drawn, same
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.torch_compat import calls_operators
from torch import nn

SUMS = re.compile(r"_acc|reduction|cpp_fused|async_compile\.cpp")


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.RMSNorm(16), nn.Linear(16, 40), nn.Linear(40, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(
            self.down(F.silu(self.up(self.norm(x)))), torch.arange(len(x)) % 8, reduction="sum"
        )


def trained(model: nn.Module, run: nn.Module) -> list[torch.Tensor]:
    model.zero_grad()
    x = drawn(12, 16)
    loss = run(x)
    loss.backward()
    return [loss.detach(), *(p.grad.clone() for p in model.parameters() if p.grad is not None)]


def test_a_compiled_module_is_eager_to_the_bit() -> None:
    from torch._inductor.utils import run_and_get_code

    torch.manual_seed(1)
    model = Block().double()
    with exact_kernels(20):
        if not calls_operators():
            pytest.skip("this PyTorch has no fallback_by_default")
        torch._dynamo.reset()
        eager = trained(model, model)
        compiled, codes = run_and_get_code(lambda: trained(model, torch.compile(model, backend="inductor")))
    torch._dynamo.reset()
    assert len(compiled) == len(eager) == 6
    for one, other in zip(compiled, eager, strict=True):
        assert same(one, other)
    assert codes
    assert not [code for code in codes if SUMS.search(code)]
