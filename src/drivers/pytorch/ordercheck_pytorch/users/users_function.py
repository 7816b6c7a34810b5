"""What a user's --apply function says of itself, in attributes:

    function.shard_batch(inputs, targets, mesh) -> (inputs, targets)
                                        the part of a microbatch that this rank works on, where ranks of cp split the
                                        sequence. Without it every rank gets whole sequences.
    function.reduce_gradients(model, mesh)
                                        what the trainer calls behind the backward of a step, where nothing in the model
                                        reduces the gradients of the ranks of cp. Without it nothing does.
    function.local_buffers = ("*.running_mean", ...)
                                        buffers that are meant to differ between ranks. A factory may have it as well.

With shard_batch, gradients are averaged over the ranks of cp as over data-parallel ones: over all ranks that get others of
the tokens."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import nn
from torch.distributed.device_mesh import DeviceMesh

from ..program.case import Case
from ..program.exact.kernels import Unsupported
from ..program.transforms.program import Program
from .user_code import look_up, look_up_function


@dataclass(frozen=True)
class UsersFunction:
    apply: Callable[[nn.Module, DeviceMesh | None], Any]
    shard_batch: Callable[[Any, Any, DeviceMesh | None], tuple[Any, Any]] | None
    reduce_gradients: Callable[[nn.Module, DeviceMesh | None], None] | None


def users_function(name: str) -> UsersFunction:
    function = look_up_function(name, ("model", "mesh"))
    return UsersFunction(
        function, getattr(function, "shard_batch", None), getattr(function, "reduce_gradients", None)
    )


def apply_users_function(
    function: UsersFunction, program: Program, mesh: DeviceMesh | None, case: Case
) -> None:
    program.model = model_after(function, program.model, mesh, case.apply or case.reference_apply)
    # Not told how it reduces gradients, so that is agreed on: averaged, as DDP and FSDP do.
    program.gradient_factor = float(case.data_parallel_degree)
    program.splits_sequence = function.shard_batch is not None
    if function.shard_batch is not None:
        split = function.shard_batch
        program.gradient_factor *= case.sequence_parallel_degree
        program.on_batch.append(lambda batch: list(split(batch[0], batch[1], mesh)))
    if function.reduce_gradients is not None:
        program.behind_backward.append(functools.partial(function.reduce_gradients, program.model, mesh))


def model_after(function: UsersFunction, model: nn.Module, mesh: DeviceMesh | None, name: str) -> nn.Module:
    """What the function made of the model: the one that it returns, or the one that it was given."""
    try:
        returned = function.apply(model, mesh)
    except RuntimeError as error:
        if "FSDP needs a non-CPU accelerator" not in str(error):
            raise
        raise Unsupported(
            "FullyShardedDataParallel (FSDP1) needs an accelerator, and lays parameters end to end, so that none can be "
            "compared; expected fully_shard"
        ) from error
    if returned is None:
        return model
    if not isinstance(returned, nn.Module):
        raise TypeError(f"{name} returned {type(returned).__name__}; expected an nn.Module or None")
    return returned


def buffers_meant_to_be_local(case: Case) -> list[str]:
    """Patterns, as the user's function and factory list them."""
    named = [name for name in (case.apply, case.reference_apply, case.model) if ":" in name]
    listed: list[str] = []
    for name in named:
        patterns = getattr(look_up(name), "local_buffers", ())
        if isinstance(patterns, str):
            raise TypeError(f"local_buffers of {name} is a str; expected a tuple of patterns")
        listed += patterns
    return listed
