"""What OLMo-core's own methods do when activation checkpointing is applied to a stage of a pipeline, as parallelize_model does.

ORD-064, with OLMo-core 3.0.0 alone. One process, no devices: the process group is a fake one. A stage keeps the keys of the
whole model ("2", "3"). apply_activation_checkpointing registers a wrapped block under its position in the stage ("0"), while it
iterates over the blocks.

Usage: PYTHONPATH=<folder of ai2-olmo-core and dataclass-extensions> python olmo_core_checkpoints_blocks_by_position.py
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore


class Unused(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that OLMo-core imports to read files and to print logs, which nothing here calls."""

    names = ("bettermap", "cached_path", "filelock", "requests", "rich", "safetensors", "yaml")

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        mine = any(name == one or name.startswith(f"{one}.") for one in self.names)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if mine else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: self.some_class(module, name)  # type: ignore[method-assign]
        return module

    def some_class(self, module: types.ModuleType, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"recoverable_errors": ()})
        setattr(module, name, made)
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def model() -> Any:
    from olmo_core.nn.transformer import TransformerConfig

    return TransformerConfig.llama_like(d_model=16, vocab_size=32, n_layers=4, n_heads=4).build()


def stage_of(whole: Any, rank: int) -> Any:
    from olmo_core.distributed.parallel import PipelineScheduleType
    from olmo_core.train.train_module.transformer.config import TransformerPipelineParallelConfig

    config = TransformerPipelineParallelConfig(degree=2, schedule=PipelineScheduleType.single_1F1B)
    mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("pp",))
    return config.split_model(whole, pp_mesh=mesh, device=torch.device("cpu"))[1][0]


def checkpointed(part: Any) -> str:
    from olmo_core.nn.transformer import TransformerActivationCheckpointingMode

    before = list(part.blocks)
    try:
        part.apply_activation_checkpointing(TransformerActivationCheckpointingMode.full)
    except RuntimeError as error:
        return f"blocks {before}: {type(error).__name__}: {error}; blocks are now {list(part.blocks)}"
    return (
        f"blocks {before}: applied; of {', '.join(sorted({type(b).__name__ for b in part.blocks.values()}))}"
    )


if __name__ == "__main__":
    sys.meta_path.insert(0, Unused())
    importlib.import_module("requests.exceptions")
    print(f"torch {torch.__version__}")
    for rank in (0, 1):
        dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=2)
        print(f"pp, then ac, stage {rank}: {checkpointed(stage_of(model(), rank))}", flush=True)
        whole = model()
        print(f"ac, then pp, the whole model: {checkpointed(whole)}", flush=True)
        dist.destroy_process_group()
