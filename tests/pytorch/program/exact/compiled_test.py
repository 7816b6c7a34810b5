"""Compiled, a program computes what it computes in eager mode, to the bit: AOTAutograd alone, Inductor up to its code, and
what Inductor would decompose into operators that round at other places."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from bits import drawn, same
from ordercheck_pytorch.program.exact import inductor
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.stand_in import stand_in_for_inductor
from ordercheck_pytorch.torch_compat import calls_operators
from torch import nn

BATCH, LENGTH, WIDTH = 6, 5, 16
LABELS = torch.arange(BATCH * LENGTH).reshape(BATCH, LENGTH) % WIDTH


class Function(nn.Module):
    """Of what a weight computes, and of a vector."""

    def __init__(self, call: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.linear, self.vector, self.call = nn.Linear(WIDTH, WIDTH), nn.Parameter(torch.randn(WIDTH)), call

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.call(self.linear(x), self.vector)


def encoder(**options: Any) -> nn.Module:
    return nn.TransformerEncoderLayer(WIDTH, 2, 32, dropout=0.0, **options)


FUNCTIONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "mv": lambda x, v: x[0] @ v,
    "dot": lambda x, v: x[0, 0] @ v,
    "linear of one row": lambda x, v: F.linear(x[:1, 0], v.outer(v)),
    "bmm of one row": lambda x, v: torch.bmm(x[:, :1], x.transpose(1, 2)),
    "einsum of a reduced pair": lambda x, v: torch.einsum("bsd,bsd->b", x, x),
    "normalize": lambda x, v: F.normalize(x, dim=-1),
    "hardsigmoid": lambda x, v: F.hardsigmoid(x),
    "cross_entropy of [B, C, S]": lambda x, v: F.cross_entropy(x.transpose(1, 2), LABELS),
    "var_mean": lambda x, v: sum(torch.var_mean(x, -1)),  # type: ignore[arg-type, return-value]
    "addcmul": lambda x, v: torch.addcmul(x, x, v),
    "softplus": lambda x, v: F.softplus(x),
    "zeros that are added": lambda x, v: torch.zeros(WIDTH, dtype=x.dtype) + x.exp(),
    "a view of attention": lambda x, v: attended(x).view(BATCH, -1),
}
MODELS: dict[str, Callable[[], nn.Module]] = {
    "encoder": lambda: encoder(batch_first=True),
    "encoder, norm first": lambda: encoder(batch_first=True, norm_first=True),
    "encoder, sequence first": lambda: encoder(),
    "layer norm": lambda: nn.Sequential(
        nn.Linear(WIDTH, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, WIDTH)
    ),
    **{name: lambda call=call: Function(call) for name, call in FUNCTIONS.items()},  # type: ignore[misc]
}


def attended(x: torch.Tensor) -> torch.Tensor:
    heads = x.unflatten(-1, (2, 8)).transpose(1, 2).contiguous()
    return F.scaled_dot_product_attention(heads, heads, heads)


def trained(model: nn.Module, run: Callable[[torch.Tensor], torch.Tensor]) -> list[torch.Tensor]:
    model.zero_grad()
    out = run(drawn(BATCH, LENGTH, WIDTH))
    (out * drawn(*out.shape, seed=8)).sum().backward()
    return [out.detach(), *(p.grad.clone() for p in model.parameters() if p.grad is not None)]


def compiled_is_eager(name: str, backend: Any) -> bool:
    torch.manual_seed(1)
    torch._dynamo.reset()
    model = MODELS[name]().double()
    eager = trained(model, model)
    compiled = trained(model, torch.compile(model, backend=backend))
    return len(eager) == len(compiled) and all(same(a, b) for a, b in zip(eager, compiled, strict=True))


@pytest.mark.parametrize("backend", ["aot_eager", stand_in_for_inductor])
def test_a_compiled_program_is_eager_to_the_bit(backend: Any) -> None:
    with exact_kernels(20):
        assert [name for name in MODELS if not compiled_is_eager(name, backend)] == []


def test_so_it_is_with_inductors_own_code() -> None:
    with exact_kernels(20):
        if not calls_operators():
            pytest.skip("this PyTorch has no fallback_by_default")
        for name in ("encoder, norm first", "layer norm", "mv"):
            assert compiled_is_eager(name, "inductor"), name


def test_decomposed_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests above show nothing."""
    monkeypatch.setattr(inductor, "without_what_computes", lambda table: table)
    with exact_kernels(20):
        for name in ("mv", "hardsigmoid", "addcmul"):
            assert not compiled_is_eager(name, stand_in_for_inductor), name


def graphs_of(model: nn.Module) -> int:
    """That Dynamo makes of one forward and backward of a module that is compiled in place."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    model.double().compile(backend="aot_eager")
    model(drawn(BATCH, LENGTH, WIDTH)).sum().backward()
    return int(torch._dynamo.utils.counters["stats"]["unique_graphs"])


def test_a_kernel_is_no_graph() -> None:
    """Dynamo starts no graph at the forward of a module of torch.nn, so nothing of an encoder that is compiled by itself is.
    Its operators are called all the same, and their kernels are not compiled instead."""
    with exact_kernels(20):
        assert graphs_of(encoder(batch_first=True)) == 0
        assert graphs_of(Function(lambda x, v: x @ v)) == 1
