"""What compiled blocks do to the gradient of an embedding that tensor parallelism has split, against eager.

CLA-015 (tensor parallelism alone) and CLA-017 (with FSDP2), with PyTorch alone: on CPU over gloo, and on GPUs over NCCL, of which
2.30.3 and newer take several ranks on one GPU where NCCL_MULTI_RANK_GPU_ENABLE is 1.

Usage: python compiled_blocks_after_embedding.py [BACKEND] [cpu | cuda] [CURE]

BACKEND is eager, aot_eager, inductor or waited.

"waited" compiles nothing: each block gets what trigger_wait() of its input returns, as compiled code does with an
AsyncCollectiveTensor from 2.12.1 on.

CURE is what is tried, in the compiled run and in the eager one:
  none     RowwiseParallel's default (use_local_output=True): the block's own argument is an AsyncCollectiveTensor
  dtensor  use_local_output=False between the modules: the block's own argument is a DTensor
  wait     the embedding waits with wait_tensor()
  zero     the embedding adds 0 to its output
  clone    the embedding clones its output
"""

from __future__ import annotations

import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

DIM, VOCABULARY, SEQUENCE = 16, 32, 8


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(DIM)
        self.up = nn.Linear(DIM, 2 * DIM, bias=False)
        self.down = nn.Linear(2 * DIM, DIM, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(self.up(self.norm(x)).relu())


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, DIM)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = nn.RMSNorm(DIM)
        self.output = nn.Linear(DIM, VOCABULARY, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.output(self.norm(x))


CURES = {
    "wait": lambda module, args, output: torch.ops._c10d_functional.wait_tensor(output),
    "zero": lambda module, args, output: output + 0,
    "clone": lambda module, args, output: output.clone(),
}


def wait_for_input(block: nn.Module, args: tuple[torch.Tensor]) -> torch.Tensor:
    return args[0].trigger_wait() if isinstance(args[0], AsyncCollectiveTensor) else args[0]


def gradients(shards: int, backend: str, device: str, cure: str) -> dict[str, torch.Tensor]:
    """Gradients of one step, NaN for a parameter without one; backend "" compiles nothing."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = Model().to(device)
    mesh = init_device_mesh(device, (shards, 2), mesh_dim_names=("dp", "tp"))
    tp = mesh["tp"]
    local = cure != "dtensor"
    plan = {
        "embedding": RowwiseParallel(
            input_layouts=Replicate(), output_layouts=Shard(1), use_local_output=local
        ),
        "norm": SequenceParallel(),
        "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }
    parallelize_module(model, tp, plan)
    if cure in CURES:
        model.embedding.register_forward_hook(CURES[cure])
    for block in model.blocks:
        inner = {
            "norm": SequenceParallel(),
            "up": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
            "down": RowwiseParallel(output_layouts=Shard(1), use_local_output=local),
        }
        parallelize_module(block, tp, {"norm": inner["norm"], "up": inner["up"]})
        parallelize_module(block, tp, {"up": ColwiseParallel(), "down": inner["down"]})
        if backend == "waited":
            block.register_forward_pre_hook(wait_for_input)
        elif backend:
            block.compile(backend=backend)
    if shards > 1:
        for block in model.blocks:
            fully_shard(block, mesh=mesh["dp"])
        fully_shard(model, mesh=mesh["dp"])
    generator = torch.Generator().manual_seed(1 + mesh.get_local_rank("dp"))
    tokens = torch.randint(VOCABULARY, (2, SEQUENCE), generator=generator).to(device)
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    loss.backward()
    found = {}
    for name, parameter in model.named_parameters():
        grad = parameter.grad
        whole = grad.full_tensor() if isinstance(grad, DTensor) else grad
        found[name] = torch.full((1,), torch.nan, device=device) if whole is None else whole
    return found


def compare(shards: int, backend: str, device: str, cure: str) -> str:
    eager = gradients(shards, "", device, cure)
    try:
        compiled = gradients(shards, backend, device, cure)
    except Exception as error:
        return f"the step fails: {type(error).__name__}: {str(error).splitlines()[0]}"
    wrong = [name for name in eager if not torch.equal(eager[name], compiled[name])]
    embedding = "embedding.weight"
    largest = f"{compiled[embedding].abs().max():.3g}, eager {eager[embedding].abs().max():.3g}"
    return f"largest |gradient| of the embedding {largest}; not bitwise equal to eager: {', '.join(wrong) or 'none'}"


def rank_main(rank: int, shards: int, backend: str, device: str, cure: str, store: str) -> None:
    torch.set_num_threads(1)
    talk = "gloo"
    if device == "cuda":
        talk = "nccl"
        torch.cuda.set_device(rank % torch.cuda.device_count())
    dist.init_process_group(talk, init_method=f"file://{store}", rank=rank, world_size=2 * shards)
    seen = compare(shards, backend, device, cure)
    if rank == 0:
        print(f"torch {torch.__version__} {device} {backend} tp=2 fsdp={shards} cure={cure}: {seen}", flush=True)
    os._exit(0)  # a rank that failed leaves others waiting in a collective


if __name__ == "__main__":
    chosen, on, tried = [*sys.argv[1:], *("aot_eager", "cpu", "none")[len(sys.argv) - 1 :]]
    for degree in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            mp.spawn(rank_main, (degree, chosen, on, tried, os.path.join(folder, "store")), nprocs=2 * degree)
