"""What deepspeed.checkpointing does in a compiled model: its non-reentrant and its reentrant checkpoint.

CLA-065, with DeepSpeed 0.19.8 alone, in one process, by nn.Module.compile and without deepspeed.initialize.
The twins are the same checkpoint in a model that is not compiled, and other checkpoints in one that is.
Gradients are compared with those of the model without a checkpoint and without compile.

Usage: DS_ACCELERATOR=cpu PYTHONPATH=<folder of deepspeed and what it imports> \
    python deepspeed_checkpoint_in_a_compiled_model.py [eager | aot_eager | inductor]
"""

from __future__ import annotations

import sys
import traceback
import types
from functools import partial
from importlib.machinery import ModuleSpec
from typing import Any

import torch
import torch.hub  # takes the tqdm that is there, before the stand-in is
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(4)
        self.gate, self.up, self.down = nn.Linear(4, 8), nn.Linear(4, 8), nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normed = self.norm(x)
        return x + self.down(nn.functional.silu(self.gate(normed)) * self.up(normed))


class Checkpointed(nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function, self.block = function, Block()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(self.block, x)


def gradients(function: Any, backend: str) -> list[Any]:
    torch.manual_seed(0)
    torch.compiler.reset()
    model = nn.Sequential(nn.Linear(4, 4), Checkpointed(function))
    if backend:
        model.compile(backend=backend)
    model(torch.ones(2, 4)).square().sum().backward()
    return [parameter.grad for parameter in model.parameters()]


def outcome(function: Any, backend: str) -> str:
    try:
        got = gradients(function, backend)
    except Exception as error:
        frames = [frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__)]
        saved = [len(local["weak_holder_list"]) for local in frames if "weak_holder_list" in local]
        many = f"; the forward saved {saved[-1]} tensors" if saved else ""
        return f"{type(error).__name__}: {str(error).splitlines()[0]}{many}"
    owed = gradients(lambda block, x: block(x), "")
    off = max((one - other).abs().max().item() for one, other in zip(got, owed, strict=True))
    return f"gradients are off by {off:.0e} at most"


def saved_by(block: nn.Module) -> int:
    saved: list[Any] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: saved.append(tensor), lambda _: None):
        block(torch.ones(2, 4, requires_grad=True))
    return len(saved)


if __name__ == "__main__":
    # Packages that DeepSpeed imports, and nothing here calls. Each of their names is an empty class.
    for package in ("cpuinfo", "einops", "hjson", "msgpack", "tqdm"):
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__spec__ = ModuleSpec(package, None)
        sys.modules[package].__getattr__ = lambda n: getattr(object, n) if n[:2] == "__" else type(n, (), {})
    from deepspeed import checkpointing

    backend = sys.argv[1] if len(sys.argv) > 1 else "aot_eager"
    print(f"torch {torch.__version__}, {backend}; a block saves {saved_by(Block())} tensors without compile")
    ways = {name: getattr(checkpointing, name) for name in ("non_reentrant_checkpoint", "checkpoint")}
    for name, way in {**ways, "torch.utils.checkpoint": partial(checkpoint, use_reentrant=False)}.items():
        print(f"{name}, not compiled: {outcome(way, '')}", flush=True)
        print(f"{name}, compiled: {outcome(way, backend)}", flush=True)
