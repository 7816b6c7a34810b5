"""Which degrees accelerate's ParallelismConfig takes together.

CLA-050, with accelerate 1.15.0 and the version number of transformers 4.57.1. One process, no devices, no model.

Usage: PYTHONPATH=<folders of accelerate, packaging and transformers> python accelerate_degrees_that_go_together.py
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any


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


def taken(**degrees: int) -> str:
    from accelerate.parallelism_config import ParallelismConfig

    try:
        ParallelismConfig(**degrees)
    except ValueError as error:
        return str(error).split(". ")[0]
    return "taken"


if __name__ == "__main__":
    sys.meta_path.insert(0, Unused())
    import accelerate

    print(f"accelerate {accelerate.__version__}")
    for degrees in (
        {"tp_size": 2, "dp_replicate_size": 2},
        {"cp_size": 2, "dp_replicate_size": 2},
        {"tp_size": 2, "dp_shard_size": 2},
        {"cp_size": 2, "dp_shard_size": 2},
        {"tp_size": 2, "dp_replicate_size": 2, "dp_shard_size": 2},
    ):
        print(f"{degrees}: {taken(**degrees)}", flush=True)
