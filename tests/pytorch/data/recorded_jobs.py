"""Jobs of plain PyTorch on two ranks, each recorded into a file of its name: torchrun recorded_jobs.py FOLDER.

Names of functions are not what PyTorch calls them, so that only what they do can be recorded."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "src/python/ordercheck/recorder")]

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from ordercheck_recorder import start  # noqa: E402
from torch import nn  # noqa: E402
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (  # noqa: E402
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh  # noqa: E402
from torch.distributed.fsdp import fully_shard as spread_out  # noqa: E402
from torch.distributed.tensor.parallel import (  # noqa: E402
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel as Copies  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

WIDTH = 8


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w1 = nn.Linear(WIDTH, 4 * WIDTH)
        self.w2 = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.mix(x)

    def mix(self, x: torch.Tensor) -> torch.Tensor:
        hidden: torch.Tensor = self.w2(torch.relu(self.w1(x)))
        return hidden


class SavingBlock(Block):
    """Saves memory within its own forward, so that hooks on the block are outside of it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept: torch.Tensor = checkpoint(self.mix, x, use_reentrant=False)
        return x + kept


class Model(nn.Module):
    def __init__(self, block: type[Block] = Block, saves: bool = False) -> None:
        super().__init__()
        self.emb = nn.Embedding(16, WIDTH)
        self.layers = nn.ModuleList(block() for _ in range(4))
        self.out = nn.Linear(WIDTH, 16)
        self.saves = saves

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.emb(tokens)
        for layer in self.layers:
            x = checkpoint(functools.partial(layer), x, use_reentrant=False) if self.saves else layer(x)
        logits: torch.Tensor = self.out(x)
        return logits


PLAN = {"w1": ColwiseParallel, "w2": RowwiseParallel}


def wrap(model: Model, blocks: slice = slice(None)) -> None:
    for index in range(len(model.layers))[blocks]:
        model.layers[index] = checkpoint_wrapper(model.layers[index])


def split(model: Model, mesh: DeviceMesh) -> None:
    for layer in model.layers:
        parallelize_module(layer, mesh, {path: style() for path, style in PLAN.items()})


def spread(model: Model, mesh: DeviceMesh, blocks: slice = slice(None)) -> None:
    for layer in list(model.layers)[blocks]:
        spread_out(layer, mesh=mesh)
    spread_out(model, mesh=mesh)


def usual(mesh: DeviceMesh) -> Any:
    model = Model()
    wrap(model)
    spread(model, mesh)
    return model, torch.optim.AdamW(model.parameters())


def optimizer_too_early(mesh: DeviceMesh) -> Any:
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters())
    spread(model, mesh)
    return model, optimizer


def block_left_out(mesh: DeviceMesh) -> Any:
    model = Model()
    wrap(model, slice(3))
    spread(model, mesh)
    return model, torch.optim.AdamW(model.parameters())


def saved_before_split(mesh: DeviceMesh) -> Any:
    """The plan names children that wrappers have put under other names: nothing is split."""
    model = Model()
    wrap(model)
    split(model, mesh)
    return model, torch.optim.AdamW(model.parameters())


def saved_by_its_caller(mesh: DeviceMesh) -> Any:
    model = Model(saves=True)
    spread(model, mesh)
    return model, torch.optim.AdamW(model.parameters())


def saved_by_itself(mesh: DeviceMesh) -> Any:
    model = Model(SavingBlock)
    spread(model, mesh)
    return model, torch.optim.AdamW(model.parameters())


def saved_in_one_call(mesh: DeviceMesh) -> Any:
    model = Model()
    apply_activation_checkpointing(model, check_fn=lambda module: isinstance(module, Block))
    return Copies(model), torch.optim.AdamW(model.parameters())


def orders_that_differ(mesh: DeviceMesh) -> Any:
    model = Model()
    for index, layer in enumerate(model.layers):
        if index == 3:
            layer.compile(backend="eager")
            spread_out(layer, mesh=mesh)
        else:
            spread_out(layer, mesh=mesh)
            layer.compile(backend="eager")
    spread_out(model, mesh=mesh)
    return model, torch.optim.AdamW(model.parameters())


def compiled_without_effect(mesh: DeviceMesh) -> Any:
    """What torch.compile returns is not what is trained."""
    model = Model()
    for layer in model.layers:
        torch.compile(layer, backend="eager")
    spread(model, mesh)
    return model, torch.optim.AdamW(model.parameters())


JOBS = (
    usual,
    optimizer_too_early,
    block_left_out,
    saved_before_split,
    saved_by_its_caller,
    saved_by_itself,
    saved_in_one_call,
    orders_that_differ,
    compiled_without_effect,
)


def main(folder: Path) -> None:
    dist.init_process_group("gloo")
    for job in JOBS:
        writer = start(str(folder / f"{job.__name__}.json"))
        assert writer is not None
        mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("ranks",))
        model, optimizer = job(mesh)
        for _ in range(2):
            model(torch.arange(16).view(2, 8)).square().sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        writer.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
