"""torch.nn.utils.clip_grad_norm_ over gradients of which ranks hold parts of a sum, by PyTorch alone, on 2 gloo ranks.

Under sequence parallelism the gradient of a norm's weight is such a DTensor (Partial), where no FSDP2 reduces it first. The norm
is right. Then every gradient is multiplied by the factor, in place. Run it with: python clipping_of_partial_gradients.py"""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate

RANKS = 2


def on_rank(rank: int) -> None:
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29513"}
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    mesh = init_device_mesh("cpu", (RANKS,))
    torch.manual_seed(0)
    parts = [torch.randn(4, dtype=torch.float64) for _ in range(RANKS)]
    for foreach in (None, False):
        parameter = torch.nn.Parameter(
            DTensor.from_local(torch.zeros(4, dtype=torch.float64), mesh, [Replicate()], run_check=False)
        )
        parameter.grad = DTensor.from_local(parts[rank].clone(), mesh, [Partial()], run_check=False)
        norm = torch.nn.utils.clip_grad_norm_([parameter], 0.5, foreach=foreach).full_tensor()
        placements = parameter.grad.placements
        clipped = parameter.grad.full_tensor()
        expected = sum(parts) * (0.5 / (norm + 1e-6))
        if rank == 0:
            print(f"torch {torch.__version__}, foreach={foreach}: norm {norm.item():.6f}, expected {sum(parts).norm().item():.6f}")
            print(f"  clipped  {[round(x, 6) for x in clipped.tolist()]} as {placements}")
            print(f"  expected {[round(x, 6) for x in expected.tolist()]}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(on_rank, (), RANKS)
