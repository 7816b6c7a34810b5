"""Which hooks a compiled module's graph holds: its own, or those of the modules in it. One process, no devices.

Usage: python hooks_of_a_compiled_module.py
"""

from __future__ import annotations

import torch
from torch import nn
from torch._dynamo.utils import counters


@torch._dynamo.disable
def closed(_module: nn.Module, args: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
    """A hook that Dynamo may not trace, as FSDP2's are."""
    return (args[0].sin(),)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x).relu()


def show(hooked: str, order: str, form: str) -> None:
    """Compile a block with the backend eager and print how many graphs and breaks its first call makes."""
    torch._dynamo.reset()
    counters.clear()
    block = Block()
    target = block if hooked == "the block" else block.linear
    if order == "hook, compile":
        target.register_forward_pre_hook(closed)
    compiled = block
    if form == "in place":
        block.compile(backend="eager")
    else:
        compiled = torch.compile(block, backend="eager")
    if order == "compile, hook":
        target.register_forward_pre_hook(closed)
    compiled(torch.randn(2, 4)).sum().backward()
    graphs = counters["stats"]["unique_graphs"]
    breaks = sum(counters["graph_break"].values())
    print(f"hook on {hooked:<20} {order:<14} {form:<9} graphs {graphs}, graph breaks {breaks}")


if __name__ == "__main__":
    print(f"torch {torch.__version__}")
    for hooked in ("the block", "a module in it"):
        for order in ("hook, compile", "compile, hook"):
            for form in ("in place", "wrapped"):
                show(hooked, order, form)
