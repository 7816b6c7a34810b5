"""A job of one process, or of two that it spawns: python recorded_process.py HOW."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.nn.parallel import DistributedDataParallel
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


@torch.compile(backend="eager")
def scaled(x: torch.Tensor) -> torch.Tensor:
    """Compiled when the module is imported: a call that the process that spawns the ranks makes too."""
    return 2 * x


def built() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(*(checkpoint_wrapper(nn.Linear(4, 4)) for _ in range(2)))


def train(model: nn.Module) -> None:
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(4):
        loss = scaled(model(torch.ones(2, 4))).square().sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(f"loss {loss.item():.9f}")


def rank(number: int, store: str) -> None:
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=number, world_size=2)
    train(DistributedDataParallel(built()))
    dist.destroy_process_group()


def seen(*_: Any) -> None:
    """A hook of the job's own, registered after the recorder's."""


def main(how: str) -> None:
    if how == "hooks":
        register_optimizer_step_pre_hook(seen)
        register_optimizer_step_post_hook(seen)
    if how == "spawn":
        with tempfile.TemporaryDirectory() as folder:
            mp.spawn(rank, (os.path.join(folder, "store"),), nprocs=2)
        return
    model = built()
    if how == "raise":
        raise RuntimeError("token=SECRET")
    if how == "kill":
        time.sleep(3)
        os.kill(os.getpid(), signal.SIGKILL)
    train(model)


if __name__ == "__main__":
    main(sys.argv[1])
