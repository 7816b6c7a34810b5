"""Describes arguments of the recorded calls by names and sizes. Values, tensors' contents and unknown objects are left out."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

Described = None | bool | int | str | list[Any] | dict[str, Any]


def mesh_of(mesh: Any) -> dict[str, Any] | None:
    """{"names": ["dp_shard", "tp"], "sizes": [2, 2]}; None for what is no DeviceMesh."""
    layout = getattr(mesh, "mesh", None)
    if layout is None or not hasattr(layout, "shape"):
        return None
    return {
        "names": list(getattr(mesh, "mesh_dim_names", None) or []),
        "sizes": [int(n) for n in layout.shape],
    }


def mesh_of_group(group: Any) -> dict[str, Any] | None:
    """A mesh without names, of the group's size; None for what is no process group, and without any group."""
    import torch.distributed as dist

    if not dist.is_available() or not dist.is_initialized():
        return None
    if group is not None and not isinstance(group, dist.ProcessGroup):
        return None
    return {"names": [], "sizes": [dist.get_world_size(group)]}


def name_of(value: Any) -> str:
    """The class of an object, or the name of a class or function, without its package."""
    while isinstance(value, functools.partial):
        value = value.func
    named = value if isinstance(value, type) or hasattr(value, "__qualname__") else type(value)
    return str(getattr(named, "__qualname__", named)).rpartition(".")[2]


def described(value: Any) -> Described:
    """A bool, int or word as it is; a dtype or placement as text; anything else by the name of its class."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value if len(value) <= 64 else ""
    module = type(value).__module__
    if type(value).__name__ in ("dtype", "device") and module == "torch":
        return str(value).removeprefix("torch.")
    if hasattr(value, "is_shard") and hasattr(value, "is_replicate"):
        return str(value)
    return name_of(value)


def fields_of(value: Any, names: tuple[str, ...]) -> dict[str, Described]:
    """The attributes of these names that are set."""
    found = {name: getattr(value, name, None) for name in names}
    return {name: described(one) for name, one in found.items() if one is not None}


def styles_of(plan: Any) -> dict[str, Described]:
    """{"attention.wq": "ColwiseParallel"}; "" is the module itself."""
    if plan is None:
        return {}
    if isinstance(plan, Mapping):
        return {str(path): name_of(style) for path, style in plan.items()}
    return {"": name_of(plan)}
