"""A compiled block that is checkpointed, with and without tensor parallelism and an operator that may draw random numbers.

ORD-033, with PyTorch alone. One process, no devices: the collectives are those of a process group that only pretends.

Usage: python checkpoint_of_a_random_operator_with_dtensor.py [aot_eager | inductor]
"""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.functional import dropout, scaled_dot_product_attention
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils.checkpoint import checkpoint


def attention(x: torch.Tensor) -> torch.Tensor:
    """Attention without dropout: it draws nothing, but its operator is one that may."""
    heads = x.unsqueeze(1)
    return scaled_dot_product_attention(heads, heads, heads).squeeze(1)


BETWEEN = {"relu": torch.relu, "attention": attention, "dropout": dropout}


class Block(nn.Module):
    def __init__(self, between: str, checkpointed: bool) -> None:
        super().__init__()
        self.between, self.checkpointed = BETWEEN[between], checkpointed
        self.up = nn.Linear(8, 16, bias=False)
        self.down = nn.Linear(16, 8, bias=False)

    def layers(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(self.between(self.up(x)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.layers, x, use_reentrant=False) if self.checkpointed else self.layers(x)


def step(between: str, checkpointed: bool, tp: bool, backend: str) -> str:
    torch._dynamo.reset()
    block = Block(between, checkpointed)
    if tp:
        mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
        parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    block.compile(backend=backend)
    try:
        block(torch.randn(2, 4, 8)).sum().backward()
    except Exception as error:
        line = str(error).splitlines()[0]
        return f"{type(error).__name__}: {line if len(line) < 130 else f'{line[:62]} ... {line[-62:]}'}"
    return "runs"


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "aot_eager"
    torch.set_num_threads(1)
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    print(f"torch {torch.__version__} {chosen}")
    for between in BETWEEN:
        for checkpointed in (False, True):
            for tp in (False, True):
                stack = f"{'tp=2' if tp else '-':<4}  {'ac' if checkpointed else '-':<2}  {between:<9}"
                print(f"{stack}  {step(between, checkpointed, tp, chosen)}", flush=True)
