"""What of a model runs in graphs after accelerate has checkpointed, compiled and sharded it, in its own order.

ORD-068 and EFF-046, with accelerate 1.15.0 alone. One process, no devices: the collectives are those of a fake process group.

Usage: PYTHONPATH=<folder of accelerate and packaging> python accelerate_compiled_regions_under_fsdp.py
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FSDPModule
from torch.testing._internal.distributed.fake_pg import FakeStore


class Unused(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that accelerate imports to download and to read models, which nothing here calls."""

    names = ("huggingface_hub", "safetensors", "psutil", "yaml")

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        mine = any(name == one or name.startswith(f"{one}.") for one in self.names)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if mine else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name)
        module.__getattr__ = self.some_class  # type: ignore[method-assign]
        return module

    def some_class(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.linear(x)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Block(), Block()])
        self.norm = nn.RMSNorm(8)
        self.output = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.layers:
            x = block(x)
        return self.output(self.norm(x))


def accelerator(model: nn.Module) -> Any:
    """What the two functions read of an Accelerator, with a plugin and a mesh of accelerate's own."""
    from accelerate import FullyShardedDataParallelPlugin
    from accelerate.parallelism_config import ParallelismConfig

    plugin = FullyShardedDataParallelPlugin(
        fsdp_version=2,
        auto_wrap_policy="transformer_based_wrap",
        transformer_cls_names_to_wrap=["Block"],
        cpu_ram_efficient_loading=False,
        reshard_after_forward=True,
    )
    plugin.set_auto_wrap_policy(model)
    config = ParallelismConfig(dp_shard_size=2)
    return types.SimpleNamespace(
        state=types.SimpleNamespace(fsdp_plugin=plugin),
        parallelism_config=config,
        torch_device_mesh=config.build_device_mesh("cpu"),
        mixed_precision="no",
        is_main_process=False,
        device=torch.device("cpu"),
    )


products_in_graphs: list[int] = []


def count_products(graph: torch.fx.GraphModule, inputs: Any) -> Any:
    """A backend that runs a graph as it is, and counts its linear layers at each call, those of checkpoints too."""
    parts = [part for part in graph.modules() if isinstance(part, torch.fx.GraphModule)]
    nodes = [node for part in parts for node in part.graph.nodes]
    products = sum(node.op == "call_function" and "linear" in str(node.target) for node in nodes)

    def run(*arguments: Any) -> Any:
        products_in_graphs.append(products)
        return graph.forward(*arguments)

    return run


def in_order(*names: str) -> str:
    from accelerate.utils import fsdp_utils, other

    torch._dynamo.reset()
    products_in_graphs.clear()
    model: Any = Model()
    given = accelerator(model)
    for name in names:
        if name == "ac":
            model = fsdp_utils.fsdp2_apply_ac(given, model)
        elif name == "compile":
            model = other.compile_regions_fsdp2(model, backend=count_products)
        else:
            model = fsdp_utils.fsdp2_prepare_model(given, model)
    model(torch.ones(2, 8))
    sharded = [path for path, module in model.named_modules() if isinstance(module, FSDPModule)]
    return f"{sum(products_in_graphs)} of 3 linear layers ran in graphs; sharded: {', '.join(sharded) or 'nothing'}"


if __name__ == "__main__":
    sys.meta_path.insert(0, Unused())
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    print(f"torch {torch.__version__}")
    for order in (("compile",), ("ac", "compile"), ("compile", "fsdp"), ("ac", "compile", "fsdp")):
        print(f"{', '.join(order)}: {in_order(*order)}", flush=True)
