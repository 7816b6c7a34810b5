"""The names of the model as built, for the parameters and buffers of what became of it.

A module that the model was built with keeps its path, whatever stands around it now: a wrapper of torch's, one of the user's,
or nothing. A module that is new (a copy for a pipeline stage) is named by its path, without the children that torch's
wrappers put in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.parallel import DataParallel, DistributedDataParallel

from ..torch_compat import own_buffers, own_children, own_parameters
from .exact.kernels import Unsupported

# Of wrappers that keep what they wrap under a name that no model gives a child of its own.
WRAPPED = {"_checkpoint_wrapped_module", "_orig_mod", "_fsdp_wrapped_module"}


def is_put_in(parent: nn.Module, child: str) -> bool:
    """Whether a wrapper of torch's put the child between its parent and what it wraps."""
    return child in WRAPPED or (
        child == "module" and isinstance(parent, (DataParallel, DistributedDataParallel))
    )


@dataclass(frozen=True)
class NamesAsBuilt:
    modules: dict[
        int, tuple[nn.Module, str]
    ]  # by identity; the module is kept so that its identity is not used again
    parameters: dict[str, str]  # of every path, tied ones too: the first path of the same parameter
    buffers: dict[str, tuple[int, ...]]  # shapes

    @staticmethod
    def of(model: nn.Module) -> NamesAsBuilt:
        first: dict[int, str] = {}
        every = {
            path: first.setdefault(id(p), path) for path, p in model.named_parameters(remove_duplicate=False)
        }
        return NamesAsBuilt(
            {id(module): (module, path) for path, module in model.named_modules()},
            every,
            {path: tuple(b.shape) for path, b in model.named_buffers()},
        )

    def parameters_of(self, model: nn.Module) -> list[tuple[str, nn.Parameter]]:
        """Each once, a tied one by its first path. One that the model as built lacks, such as an adapter, has the path that it
        has now. Raises Unsupported for one that a wrapper made of several."""
        found: dict[int, tuple[str, nn.Parameter]] = {}
        for path, module in self.walk(model, ""):
            for name, parameter in own_parameters(module).items():
                if parameter is not None:
                    found.setdefault(id(parameter), (path_of_child(path, name), parameter))
        for name, _ in found.values():
            if name not in self.parameters and (wrapper := module_with_flat_parameters(model)):
                raise Unsupported(flat_parameter(name, wrapper))
        # Of a tie that is no tie any more the first one: its gradient is no longer that of both.
        first: dict[str, nn.Parameter] = {}
        for name, parameter in found.values():
            first.setdefault(self.parameters.get(name, name), parameter)
        return list(first.items())

    def buffers_of(self, model: nn.Module) -> dict[str, torch.Tensor]:
        """Those of the model as built; persistent or not."""
        found: dict[str, torch.Tensor] = {}
        for path, module in self.walk(model, ""):
            for name, buffer in own_buffers(module).items():
                if buffer is not None and path_of_child(path, name) in self.buffers:
                    found.setdefault(path_of_child(path, name), buffer)
        return found

    def walk(
        self, module: nn.Module, path: str, met: set[int] | None = None
    ) -> Iterator[tuple[str, nn.Module]]:
        """Every module once, with its path in the model as built."""
        met = set() if met is None else met
        if id(module) in met:
            return
        met.add(id(module))
        _, path = self.modules.get(id(module), (module, path))
        yield path, module
        for name, child in own_children(module).items():
            if child is not None:
                yield from self.walk(
                    child, path if is_put_in(module, name) else path_of_child(path, name), met
                )


def path_of_child(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def module_with_flat_parameters(model: nn.Module) -> str:
    """The class of a wrapper that lays several parameters end to end, or ""."""
    from torch.distributed.fsdp import FullyShardedDataParallel

    return next(
        (type(module).__name__ for module in model.modules() if isinstance(module, FullyShardedDataParallel)),
        "",
    )


def flat_parameter(name: str, wrapper: str) -> str:
    return f"{wrapper} (FSDP1) lays parameters end to end in {name}, so that none can be compared; expected fully_shard"
