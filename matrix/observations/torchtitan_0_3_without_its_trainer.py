"""torchtitan 0.3.0 over gloo, and where nobody names the SPMD backend: three things that end a job.

Two ranks over gloo on CPU, with functions of torchtitan and of the spmd_types that it installs.

Usage: python torchtitan_0_3_without_its_trainer.py divide | experts | backend

  divide   FSDP2 without gradient division, as apply_fsdp_to_decoder leaves it, and a backward in float32
  experts  the exchange of tokens under spmd_types, where ranks send unlike numbers of them
  backend  the loss of logits that partial_dtensor splits over tp, first as experiments/torchft and experiments/forge leave
           the helpers, which call set_spmd_backend nowhere, then as trainer.py sets them
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from importlib import import_module

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Shard

RANKS = 2


def divide() -> str:
    model = torch.nn.Linear(4, 4)
    fully_shard(model, mesh=init_device_mesh("cpu", (RANKS,)))
    import_module("torchtitan.distributed.fsdp").disable_fsdp_gradient_division(model)
    model(torch.ones(2, 4)).sum().backward()
    return "reduced"


def experts() -> str:
    spmd = import_module("spmd_types")
    group = init_device_mesh("cpu", (RANKS,), mesh_dim_names=("ep",)).get_group("ep")
    sent, received = ([1, 3], [1, 2]) if dist.get_rank() == 0 else ([2, 2], [3, 2])
    tokens = torch.ones(sum(sent), 4)
    moved = spmd.all_to_all(
        tokens, group, src=spmd.S(0), dst=spmd.S(0), output_split_sizes=received, input_split_sizes=sent
    )
    return f"received {moved.shape[0]} tokens"


def loss() -> str:
    mesh = init_device_mesh("cpu", (RANKS,), mesh_dim_names=("tp",))
    logits = DTensor.from_local(torch.randn(1, 3, 4), mesh, [Shard(2)])
    import_module("torchtitan.components.loss").cross_entropy_loss(
        logits, torch.zeros(1, 3, dtype=torch.long)
    )
    return "computed"


def backend() -> str:
    told = [f"not set: {outcome(loss)}"]
    import_module("torchtitan.distributed.utils").set_spmd_backend("partial_dtensor")
    return "; ".join([*told, f"partial_dtensor: {outcome(loss)}"])


def outcome(part: Callable[[], str]) -> str:
    try:
        return part()
    except (RuntimeError, AssertionError) as error:
        return f"{type(error).__name__} {str(error).splitlines()[0] if str(error) else ''}".strip()


def run(rank: int, name: str, store: str) -> None:
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=RANKS)
    told = outcome({"divide": divide, "experts": experts, "backend": backend}[name])
    if rank == 0:
        print(f"{name}: {told}")
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, (sys.argv[1], f"{folder}/store"), RANKS)
