"""What of a model is in graphs where a graph breaks in its loop over blocks. One process, no devices.

Usage: python linear_of_a_skipped_frame.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.functional import linear


@torch._dynamo.disable
def closed(_module: nn.Module, args: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
    """A hook that Dynamo may not trace, as FSDP2's are."""
    return args


class OwnLinear(nn.Linear):
    """The same layer as code of the user's own."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return linear(x, self.weight, self.bias)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x).relu()


class Model(nn.Module):
    def __init__(self, loop: bool, output: type[nn.Linear]) -> None:
        super().__init__()
        self.loop = loop
        self.first, self.second = Block(), Block()
        self.output = output(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.loop:
            for block in (self.first, self.second):
                x = block(x)
        else:
            x = self.second(self.first(x))
        return self.output(x)


ran: list[int] = []


def counting(graph: torch.fx.GraphModule, _inputs: list[torch.Tensor]) -> Callable[..., Any]:
    """A backend that runs a graph as it is, and counts the linear layers of each run."""
    linears = sum(node.op == "call_function" and node.target is linear for node in graph.graph.nodes)

    def run(*args: torch.Tensor) -> Any:
        ran.append(linears)
        return graph.forward(*args)

    return run


def show(hooks: bool, loop: bool, output: type[nn.Linear]) -> None:
    """Compile a model of two blocks and an output layer, and print how many of its linear layers ran in graphs."""
    torch._dynamo.reset()
    ran.clear()
    model = Model(loop, output)
    if hooks:
        for block in (model.first, model.second):
            block.register_forward_pre_hook(closed)
    torch.compile(model, backend=counting)(torch.randn(2, 4)).sum().backward()
    print(
        f"hooks {'closed' if hooks else 'none':<6}  blocks called {'in a loop' if loop else 'by name':<9}  "
        f"output {output.__name__:<9}  {sum(ran)} of 3 linear layers ran in graphs; {len(ran)} graphs ran"
    )


if __name__ == "__main__":
    print(f"torch {torch.__version__}")
    show(hooks=False, loop=True, output=nn.Linear)
    show(hooks=True, loop=True, output=nn.Linear)
    show(hooks=True, loop=False, output=nn.Linear)
    show(hooks=True, loop=True, output=OwnLinear)
