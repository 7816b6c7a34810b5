"""A module that keeps a value on an object outside it, checkpointed or not, compiled as one graph.

CLA-023, with PyTorch alone and one process. torchtitan's ExpertParallel keeps the splits of its first all-to-all in this way,
because the second needs them.

Usage: python state_kept_in_a_compiled_checkpoint.py [eager | aot_eager | inductor]
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Dispatch:
    """Hooks before and after a module, which share what the first one found out."""

    def __init__(self, keeps: bool) -> None:
        self.keeps = keeps
        self.splits: list[int] | None = None

    def before(self, module: nn.Module, inputs: Any) -> Any:
        if self.keeps:
            self.splits = [inputs[0].shape[0] // 2] * 2
        return inputs

    def after(self, module: nn.Module, inputs: Any, output: torch.Tensor) -> torch.Tensor:
        splits = self.splits if self.splits is not None else [output.shape[0] // 2] * 2
        return torch.cat(output.split(splits))


class Block(nn.Module):
    def __init__(self, keeps: bool, checkpointed: bool) -> None:
        super().__init__()
        self.checkpointed = checkpointed
        self.experts = nn.Linear(8, 8)
        dispatch = Dispatch(keeps)
        self.experts.register_forward_pre_hook(dispatch.before)
        self.experts.register_forward_hook(dispatch.after)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.experts, x, use_reentrant=False) if self.checkpointed else self.experts(x)


def step(keeps: bool, checkpointed: bool, fullgraph: bool, backend: str) -> str:
    torch._dynamo.reset()
    block = torch.compile(Block(keeps, checkpointed), backend=backend, fullgraph=fullgraph)
    try:
        block(torch.randn(4, 8)).sum().backward()
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return f"{type(error).__name__}: {lines[0]}; {lines[1]}"
    return "runs"


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "aot_eager"
    torch.set_num_threads(1)
    print(f"torch {torch.__version__} {chosen}")
    for keeps, checkpointed, fullgraph in (
        (True, False, True),
        (False, True, True),
        (True, True, True),
        (True, True, False),
    ):
        words = f"{'keeps' if keeps else '-':<5}  {'ac' if checkpointed else '-':<2}  {'fullgraph' if fullgraph else '-':<9}"
        print(f"{words}  {step(keeps, checkpointed, fullgraph, chosen)}", flush=True)
    switch = "skip_fwd_side_effects_in_bwd_under_checkpoint"
    if hasattr(torch._dynamo.config, switch):
        setattr(torch._dynamo.config, switch, True)
        print(f"keeps  ac  fullgraph  with {switch}: {step(True, True, True, chosen)}", flush=True)
