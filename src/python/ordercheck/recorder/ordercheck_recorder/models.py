"""Finds the models of a process and the final names of their modules, without the segments that wrappers add."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, compress, islice
from typing import Any

# The attribute under which a wrapper holds the module, by the name of the wrapper's class.
_HELD_BY = {
    "OptimizedModule": "_orig_mod",
    "CheckpointWrapper": "_checkpoint_wrapped_module",
    "OffloadWrapper": "_checkpoint_wrapped_module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "DistributedDataParallel": "module",
    "DeepSpeedEngine": "module",
    "_FabricModule": "_forward_module",
}


def held_module(module: Any) -> Any:
    """The module inside of a wrapper; None for a module that is no wrapper."""
    # fully_shard puts a subclass in the place of the wrapper's class.
    names = [_HELD_BY[base.__name__] for base in type(module).__mro__ if base.__name__ in _HELD_BY]
    return module._modules.get(names[0]) if names else None


def unwrapped(module: Any) -> Any:
    while (held := held_module(module)) is not None:
        module = held
    return module


def wrappers_of(module: Any) -> list[str]:
    """ "wrapped" for a checkpoint wrapper, "compiled" for a module that torch.compile wraps or that compiled itself."""
    names = {base.__name__ for base in type(module).__mro__}
    found = ["wrapped"] if "CheckpointWrapper" in names else []
    if "OptimizedModule" in names or getattr(module, "_compiled_call_impl", None) is not None:
        found.append("compiled")
    return found


def class_of(module: Any) -> str:
    """The class as written: fully_shard puts a class FSDPLlama in the place of Llama."""
    kind = type(unwrapped(module))
    if (
        any(base.__name__ in ("FSDPModule", "ReplicateModule") for base in kind.__bases__)
        and len(kind.__bases__) == 2
    ):
        kind = kind.__bases__[1]
    return kind.__name__


def live_modules() -> list[Any]:
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    is_module_class = torch.nn.Module.__subclasscheck__
    types = list(map(type, _objects_in_one_call(gc.get_objects)))
    classes = list({id(one): one for one in compress(types, map(is_module_class, types))}.values())
    # By the type: isinstance alone would read __class__ of all objects, which proxies compute.
    found = list(
        filter(torch.nn.Module.__instancecheck__, _objects_in_one_call(partial(gc.get_referrers, *classes)))
    )
    return [one for one in found if "_modules" in one.__dict__]


def _objects_in_one_call(of_gc: Callable[[], list[Any]]) -> Iterator[Any]:
    """The objects that a function of gc finds, for C code that takes all of them in one call.

    CPython raises SystemError in tuple(generator) if another thread refers to the tuple before it is complete, and gc returns
    such tuples. Here gc is called when the first object is taken, so no other thread runs while the list of them exists."""
    return chain.from_iterable(islice(iter(of_gc, None), 1))


def roots_of(modules: list[Any]) -> list[Any]:
    """Those that no other module holds, the largest first."""
    held = {id(child) for module in modules for child in module._modules.values() if child is not None}
    roots = [module for module in modules if id(module) not in held]
    return sorted(roots, key=lambda root: -sum(1 for _ in root.modules()))


def named(root: Any) -> Iterator[tuple[str, Any]]:
    """Each module once, wrappers too, by the first name that leads to it: "" for the root and for what it wraps."""
    seen: set[int] = set()

    def walk(module: Any, name: str) -> Iterator[tuple[str, Any]]:
        if id(module) in seen:
            return
        seen.add(id(module))
        yield name, module
        held = held_module(module)
        for key, child in list(module._modules.items()):
            if child is not None:
                yield from walk(child, name if child is held else f"{name}.{key}" if name else key)

    yield from walk(root, "")


def named_parameters(root: Any) -> Iterator[tuple[str, Any]]:
    """Each parameter once, by the name of its module and its own."""
    seen: set[int] = set()
    for name, module in named(root):
        for key, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in seen:
                seen.add(id(parameter))
                yield (f"{name}.{key}" if name else key), parameter
