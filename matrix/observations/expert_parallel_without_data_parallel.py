"""Which degrees torchtitan's own parallelize function accepts with expert parallelism.

FIT-011, with torchtitan alone (0.2.1 and 0.2.2) and its smallest DeepSeek-V3 on the meta device. One process, no devices: the
collectives are those of a process group that only pretends.

Usage: PYTHONPATH=<folder of torchtitan, tyro and what tyro needs> python expert_parallel_without_data_parallel.py
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

DEGREES = ({"tp": 2, "ep": 2}, {"ep": 2, "dp_shard": 2}, {"tp": 2, "ep": 2, "dp_shard": 2}, {"tp": 2})


class Unused(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that torchtitan imports to read data, which nothing here calls."""

    names = ("datasets", "tokenizers", "torchdata", "torch.utils.tensorboard")

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


def parallelized(degrees: dict[str, int]) -> str:
    from torchtitan.config import ConfigManager
    from torchtitan.distributed import ParallelDims
    from torchtitan.models.deepseek_v3 import get_train_spec

    ranks = degrees.get("tp", 1) * degrees.get("dp_shard", 1)
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=ranks)
    words = ["--training.seq_len", "32", "--activation_checkpoint.mode", "none"]
    names = {"tp": "tensor_parallel", "ep": "expert_parallel", "dp_shard": "data_parallel_shard"}
    for name, degree in degrees.items():
        words += [f"--parallelism.{names[name]}_degree", str(degree)]
    config = ConfigManager().parse_args(words)
    sizes = {"dp_replicate": 1, "dp_shard": 1, "cp": 1, "tp": 1, "pp": 1, "ep": 1, "etp": 1}
    dims = ParallelDims(**(sizes | degrees), world_size=ranks)
    spec = get_train_spec()
    arguments = spec.model_args["debugmodel"]
    arguments.update_from_config(config)
    with torch.device("meta"):
        model = spec.model_cls(arguments)
    try:
        spec.parallelize_fn(model, dims, config)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    finally:
        dist.destroy_process_group()
    return "applied"


if __name__ == "__main__":
    sys.meta_path.insert(0, Unused())
    torch._utils._get_available_device_type = lambda: "cpu"  # torchtitan takes CUDA where it finds no device
    print(f"torch {torch.__version__}")
    for degrees in DEGREES:
        words = ", ".join(f"{name}={degree}" for name, degree in degrees.items())
        print(f"{words}: {parallelized(degrees)}", flush=True)
