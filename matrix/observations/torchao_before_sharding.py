"""What torchao's convert_to_float8_training makes of linear layers that are sharded already, or later.

ORD-069, with torchao 0.18.0 alone, on two ranks over gloo on CPU. Products are emulated in float32, because
float8 products need an accelerator. The reference is one rank with float8 layers: its mean gradient for the
inputs of both ranks, one after the other. Under tensor parallelism both ranks have the same input. "not
converted" shows that a model without float8 layers is far from the reference.

Usage: PYTHONPATH=<folder of torchao> torchrun --nproc-per-node 2 torchao_before_sharding.py
"""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from torchao.float8 import Float8LinearConfig, convert_to_float8_training

RANKS = 2
INPUTS = torch.randn(RANKS, 16, 16, generator=torch.Generator().manual_seed(1))
SHARDINGS = {"tp": "tensor parallelism", "fsdp": "FSDP2", "ddp": "DDP"}


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 32, bias=False), nn.SiLU(), nn.Linear(32, 16, bias=False))


def apply(name: str, layers: nn.Module, mesh: DeviceMesh) -> nn.Module:
    if name == "convert":
        return convert_to_float8_training(layers, config=Float8LinearConfig(emulate=True))
    if name == "tp":
        return parallelize_module(layers, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    return fully_shard(layers, mesh=mesh) if name == "fsdp" else DistributedDataParallel(layers)


def gradients(layers: nn.Module) -> list[torch.Tensor]:
    found = [parameter.grad for parameter in layers.parameters()]
    return [grad.full_tensor() if isinstance(grad, DTensor) else grad for grad in found]


def reference(inputs: torch.Tensor, mesh: DeviceMesh) -> list[torch.Tensor]:
    layers = apply("convert", model(), mesh)
    for one in inputs:
        (layers(one).square().sum() / len(inputs)).backward()
    return gradients(layers)


def outcome(names: list[str], mesh: DeviceMesh) -> str:
    layers, same_input = model(), "tp" in names
    for name in names:
        layers = apply(name, layers, mesh)
    try:
        output = layers(INPUTS[0 if same_input else dist.get_rank()])
    except Exception as error:
        return f"the forward fails: {type(error).__name__}: {str(error).splitlines()[0]}"
    output.square().sum().backward()
    pairs = zip(gradients(layers), reference(INPUTS[:1] if same_input else INPUTS, mesh), strict=True)
    return f"gradients are off by {max(((a - b).norm() / b.norm()).item() for a, b in pairs):.0e} at most"


if __name__ == "__main__":
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (RANKS,))
    lines = [f"torch {torch.__version__}"]
    for name, title in SHARDINGS.items():
        lines.append(f"{title}, then float8: {outcome([name, 'convert'], mesh)}")
        lines.append(f"float8, then {title}: {outcome(['convert', name], mesh)}")
        lines.append(f"{title}, not converted: {outcome([name], mesh)}")
    if dist.get_rank() == 0:
        print(*lines, sep="\n", flush=True)
    dist.destroy_process_group()
