"""What accelerate's own functions for FSDP2 do in both orders of activation checkpointing and sharding.

ORD-009, with accelerate 1.15.0 alone. One process, no devices: the collectives are those of a process group that only pretends.

Usage: PYTHONPATH=<folder of accelerate and packaging> python accelerate_looks_up_a_class_by_name.py
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


def in_order(*names: str) -> str:
    from accelerate.utils import fsdp_utils

    functions = {"ac": fsdp_utils.fsdp2_apply_ac, "fsdp": fsdp_utils.fsdp2_prepare_model}
    model: Any = nn.Sequential(Block(), Block())
    given = accelerator(model)
    try:
        for name in names:
            model = functions[name](given, model)
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"
    return f"applied; the blocks are of {', '.join(sorted({type(block).__name__ for block in model}))}"


if __name__ == "__main__":
    sys.meta_path.insert(0, Unused())
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    print(f"torch {torch.__version__}")
    for order in (("fsdp",), ("ac", "fsdp"), ("fsdp", "ac")):
        print(f"{', '.join(order)}: {in_order(*order)}", flush=True)
