"""What ZeRO-3 does to a layer that deepspeed.checkpointing recomputes: its reentrant checkpoint, and its non-reentrant one.

CLA-064, with DeepSpeed 0.19.8 alone, in one process: ZeRO-3 frees parameters for one rank too.

Usage: DS_ACCELERATOR=cpu PYTHONPATH=<folder of deepspeed and what it imports> python deepspeed_zero_3_with_checkpoints.py
"""

from __future__ import annotations

import os
from typing import Any

import deepspeed
import torch
from torch import nn

os.environ |= {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29541"}


class Checkpointed(nn.Module):
    def __init__(self, checkpoint: Any) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        self.layer = nn.Sequential(nn.Linear(4, 4), nn.SiLU(), nn.Linear(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.checkpoint(self.layer, x)


def outcome(stage: int, checkpoint: Any) -> str:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), Checkpointed(checkpoint))
    zero = {"stage": stage, "stage3_param_persistence_threshold": 0, "reduce_bucket_size": 1 << 10}
    engine = deepspeed.initialize(
        model=model,
        optimizer=torch.optim.AdamW(model.parameters()),
        config={"train_micro_batch_size_per_gpu": 1, "zero_optimization": zero},
    )[0]
    deepspeed.checkpointing.configure(None)
    try:
        engine.backward(engine(torch.ones(2, 4)).sum())
        engine.step()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "trained a step"


if __name__ == "__main__":
    deepspeed.init_distributed(dist_backend="gloo", auto_mpi_discovery=False)
    lines = [f"torch {torch.__version__}"]
    for stage in (2, 3):
        for name in ("checkpoint", "non_reentrant_checkpoint"):
            lines.append(f"ZeRO-{stage}, {name}: {outcome(stage, getattr(deepspeed.checkpointing, name))}")
    print(*lines, sep="\n", flush=True)
