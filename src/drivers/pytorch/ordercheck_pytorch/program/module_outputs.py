"""What modules put out in forward, a sample at a time, so that the first module that differs can be named.

Where each rank works on whole samples, its outputs are those of one rank for the same samples. Where ranks split tensors, a
sequence or layers, an output does not say which part of a sample it is, and nothing is kept. Nor where a compiler would trace
the hook."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.distributed.tensor import DTensor
from torch.nn.modules.module import register_module_forward_hook

from ..process_state import CASE_STATE
from ..torch_compat import in_backward
from .names import NamesAsBuilt

Outputs = dict[
    tuple[int, str], dict[int, torch.Tensor]
]  # by step and path, in the order of execution; then by sample


@contextlib.contextmanager
def keeping_outputs(model: nn.Module, names: NamesAsBuilt, outputs: Outputs) -> Iterator[None]:
    """Within, of every forward whose samples are known. `outputs` fills."""
    if any(is_compiled(module) for module in model.modules()):
        yield
        return

    def keep(module: nn.Module, args: Any, output: Any) -> None:
        _, path = names.modules.get(id(module), (module, ""))
        samples = CASE_STATE.samples
        if not path or isinstance(samples, str) or in_backward():  # a recomputation is in backward
            return
        if not isinstance(output, torch.Tensor) or isinstance(output, DTensor):
            return
        if output.dtype is not torch.float64 or output.ndim == 0 or output.shape[0] != len(samples):
            return
        kept = outputs.setdefault((CASE_STATE.step, path), {})
        for sample, value in zip(samples, output.detach().cpu(), strict=True):
            kept.setdefault(sample, value.clone())  # of a module that is called twice the first call

    handle = register_module_forward_hook(keep)
    try:
        yield
    finally:
        handle.remove()


def is_compiled(module: nn.Module) -> bool:
    """By torch.compile(module) or module.compile()."""
    is_wrapped = any(name == "_orig_mod" for name, _ in module.named_children())
    return is_wrapped or vars(module).get("_compiled_call_impl") is not None
