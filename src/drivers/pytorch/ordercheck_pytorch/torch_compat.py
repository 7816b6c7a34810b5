"""What depends on the release of PyTorch, in one place: names that torch keeps private, and whether a release has something.

Supported are torch 2.6 and later. Each function says which release its name or branch is of; one that says nothing was the
same in all of them. When a release renames something, this file is what changes."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch
import torch.distributed as dist
from torch import fx, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl, checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import _disable_current_modes as no_dispatch_modes

# No public module has these three.
__all__ = ["CheckpointImpl", "checkpoint_wrapper", "no_dispatch_modes"]

# --- The dispatcher

# Where a call goes on behind a kernel at BackendSelect. All keys before are past: to dispatch from the start would come back.
KEYS_BEHIND_BACKEND_SELECT = torch._C._dispatch_keyset_full_after(torch._C.DispatchKey.BackendSelect)

# From torch 2.9 on a kernel can be held by itself and called past the dispatcher.
CAN_HOLD_KERNELS = hasattr(torch.library, "get_kernel")
OVER_A_KERNEL: dict[str, Any] = {"allow_override": True} if CAN_HOLD_KERNELS else {}


def only(key: str) -> Any:
    """The keys of a redispatch to the kernels of "CPU", "CUDA" or "Meta"."""
    return torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))


def held_kernel(operator: str, key: str) -> Callable[..., Any] | None:
    """The stock kernel of "aten::mm" by itself; None where there is none. Only where CAN_HOLD_KERNELS."""
    with contextlib.suppress(RuntimeError):
        return functools.partial(torch.library.get_kernel(operator, key).call_boxed, only(key))
    return None


def has_kernel(operator: str, key: str) -> bool:
    """Of "aten::mm" and "BackendSelect"."""
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(operator, key))


def operators_with_kernels(key: str) -> list[str]:
    return list(torch._C._dispatch_get_registrations_for_dispatch_key(key))


def all_operators() -> list[str]:
    return list(torch._C._dispatch_get_all_op_names())


def is_registered_in_python(operator: str, key: str) -> bool:
    registered: set[str] = getattr(torch.library, "_impls", set())
    return f"{operator.replace('::', '/')}/{key}" in registered


def take_back(library: torch.library.Library) -> None:
    """Its kernels go, and those that they stood before are back."""
    library._destroy()


def schema_of(overload: Any) -> Any:
    return overload._schema


def is_overload(operator: Any) -> bool:
    return isinstance(operator, torch._ops.OpOverload)


def in_backward() -> bool:
    """Whether autograd runs the caller."""
    return torch._C._current_graph_task_id() != -1


# --- Profiling


def is_profiling() -> bool:
    return bool(torch.autograd.profiler._is_profiler_enabled)


def profiler_mark(name: str) -> AbstractContextManager[Any]:
    mark: AbstractContextManager[Any] = torch._C._profiler._RecordFunctionFast(name)
    return mark


# --- Modules and tensors


def own_parameters(module: nn.Module) -> dict[str, nn.Parameter | None]:
    """Of the module alone, as it holds them: FSDP1 overrides named_parameters()."""
    return module._parameters


def own_buffers(module: nn.Module) -> dict[str, torch.Tensor | None]:
    return module._buffers


def own_children(module: nn.Module) -> dict[str, nn.Module | None]:
    return module._modules


def local_part(tensor: torch.Tensor) -> torch.Tensor:
    """Of a DTensor the part that this rank holds, outside of autograd."""
    part: torch.Tensor = getattr(tensor, "_local_tensor", tensor)
    return part


def layout_beside(parameter: torch.Tensor) -> Any:
    """What DDP with a mesh keeps of the DTensor that a parameter was (torch.distributed.tensor.parallel.ddp), or None."""
    return getattr(parameter, "_st_info", None)


def flattened(mesh: DeviceMesh, name: str) -> DeviceMesh:
    return mesh._flatten(name)


# --- Distributed


def finished_work() -> Any:
    """A work as operators of c10d answer with, of a collective that never was."""
    from torch._C._distributed_c10d import FakeWork

    return dist.Work.boxed(FakeWork())


def file_store(path: str, ranks: int) -> Any:
    from torch._C._distributed_c10d import FileStore

    return FileStore(path, ranks)


def description_of(group: dist.ProcessGroup) -> str:
    return getattr(group, "group_desc", "")


def gpus_by_nvml() -> int:
    """Without touching CUDA; -1 where it is not told."""
    return int(getattr(torch.cuda, "_device_count_nvml", lambda: -1)())


def is_loss_parallel() -> bool:
    """Whether loss_parallel() is entered: DTensor then takes a cross entropy of logits split over their classes."""
    handlers = getattr(DTensor._op_dispatcher, "_custom_op_handlers", {})
    return torch.ops.aten.nll_loss_forward.default in handlers


def sharding_propagator() -> Any:
    return DTensor._op_dispatcher.sharding_propagator


def forget_propagated() -> None:
    """Empties the caches beside the propagator's own: the one below Python, which newer releases have, and that of ways from
    placement to placement. The placement of an embedding's rows holds a mask, and a way that was found before leads through
    the mask of before."""
    from torch.distributed.tensor import _redistribute

    getattr(_redistribute._gen_transform_infos, "cache_clear", lambda: None)()
    getattr(torch._C, "_clear_DTensor_sharding_propagator_cache", lambda: None)()


# --- Transforms


def streams_of_a_cpu_give_events() -> bool:
    """FSDP2 needs it on a CPU; from torch 2.7 on."""
    return hasattr(torch.cpu.Stream, "record_event")


def can_set_divide_factor() -> bool:
    """Of FSDP2, for every dtype; from torch 2.8 on. Before, a factor is for float32 and bfloat16, of reduce-scatter alone."""
    return hasattr(FSDPModule, "set_gradient_divide_factor")


def set_divide_factor(module: FSDPModule, factor: float) -> None:
    if can_set_divide_factor():
        module.set_gradient_divide_factor(factor)
    else:
        module.set_reduce_scatter_divide_factor(factor)


def sum_in_reductions(module: FSDPModule) -> None:
    """Gloo has no reduction that multiplies, which float32 would be reduced with though the factor is one. Releases with
    set_gradient_divide_factor need not have this too."""
    if hasattr(module, "set_force_sum_reduction_for_comms"):
        module.set_force_sum_reduction_for_comms(True)


def is_replicate_built_on_fsdp() -> bool:
    """From torch 2.10 on torch.distributed._composable has two replicate; the newer one is built on FSDP2."""
    return importlib.util.find_spec("torch.distributed._composable.replicate_with_fsdp") is not None


def replicate_with_ddp(model: nn.Module, group: dist.ProcessGroup) -> None:
    from torch.distributed._composable.replicate import replicate

    replicate(model, process_group=group)


def replicate_with_fsdp(module: nn.Module, mesh: DeviceMesh) -> None:
    from torch.distributed._composable.replicate_with_fsdp import replicate

    replicate(module, mesh=mesh)


def has_context_parallel() -> bool:
    """As a parallel style, which not every release has."""
    try:
        from torch.distributed.tensor.experimental._attention import _ContextParallel  # noqa: F401
    except ImportError:
        return False
    return True


def context_parallel_style(sequence_dim: int) -> Any:
    """That all-gathers keys and values, as for flex attention."""
    from torch.distributed.tensor.experimental._attention import _ContextParallel

    return _ContextParallel(seq_dim=sequence_dim, attention_type=_ContextParallel.AttentionType.FLEX)


def context_parallel_shard(mesh: DeviceMesh, tensors: list[Any], dims: list[int]) -> Any:
    from torch.distributed.tensor.experimental._attention import _context_parallel_shard

    return _context_parallel_shard(mesh, tensors, dims)


def takes_scale_grads(schedule: Any) -> bool:
    """From torch 2.7 on a pipeline can divide gradients by the microbatches; before, it adds them up."""
    return "scale_grads" in inspect.signature(schedule).parameters


def autocast_dtype(autocast: Any) -> torch.dtype | None:
    """None where it is not enabled."""
    return autocast.fast_dtype if autocast._enabled else None


# --- The compiler


def forget_captured() -> None:
    """Every graph is dropped, and counting begins at 0."""
    import torch._dynamo  # two seconds, which a run that compiles nothing does not spend

    torch._dynamo.reset()
    dynamo_counters().clear()


def dynamo_counters() -> Any:
    from torch._dynamo.utils import counters

    return counters


def unseen_by_dynamo(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes the place of one in C++. What runs eagerly between graphs, and all that Dynamo skips, calls
    operators while Dynamo still compiles every frame of Python that it meets: the frames of a kernel would be graphs that
    stock PyTorch does not have, and a model of which nothing is compiled would look compiled."""
    import torch._dynamo

    return torch._dynamo.disable(function)


def wrap_compiled_call(module: nn.Module, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Of a module that was compiled in place."""
    assert module._compiled_call_impl is not None
    module._compiled_call_impl = wrap(module._compiled_call_impl)


def compile_up_to_code(graph: fx.GraphModule, inputs: Any, inner_compile: Callable[..., Any]) -> Any:
    """inductor, with another function for its last stage. What it caches by the graph would be taken for inductor's code."""
    from torch._functorch import config
    from torch._inductor.compile_fx import compile_fx

    with config.patch(enable_autograd_cache=False):
        return compile_fx(graph, inputs, inner_compile=inner_compile)


def boxed_form(part: fx.GraphModule) -> Callable[[list[Any]], Any]:
    """A call of the graph with a list. From torch 2.10 on the graph takes the list, and lets go of an input where it was last
    used."""
    code = getattr(fx.graph, "_BoxedCodeGen", None)
    if code is not None:
        part.graph.set_codegen(code())
    part.recompile()
    if code is not None:
        return lambda arguments: part.forward(arguments)
    return lambda arguments: part.forward(*arguments)


def takes_a_list(call: Callable[..., Any]) -> None:
    """Says to the compiler that `call` takes its inputs as a list."""
    call._boxed_call = True  # type: ignore[attr-defined]


def can_call_operators() -> bool:
    """Whether inductor can be told to call operators instead of loops that it writes; from torch 2.9 on."""
    from torch._inductor import config

    return hasattr(config, "fallback_by_default")


def calls_operators() -> bool:
    from torch._inductor import config

    return bool(getattr(config, "fallback_by_default", False))


@contextlib.contextmanager
def falling_back() -> Iterator[None]:
    from torch._inductor import config, output_code

    call = output_code.CompiledFxGraph.__call__

    def unseen(graph: Any, inputs: Any) -> Any:
        # As of loops that Inductor writes, a dispatch mode outside sees nothing of the operators: whoever selects what to
        # keep must not find more there than in a job.
        with no_dispatch_modes():
            return call(graph, inputs)

    output_code.CompiledFxGraph.__call__ = unseen  # type: ignore[method-assign, assignment]
    try:
        with config.patch(fallback_by_default=True):
            yield
    finally:
        output_code.CompiledFxGraph.__call__ = call  # type: ignore[method-assign]


def drawing_as_eager() -> contextlib.AbstractContextManager[None]:
    """Within, what inductor compiles draws random numbers by the operators of eager code (its fallback_random)."""
    from torch._inductor import config

    return config.patch(fallback_random=True)


def decomposition_table() -> dict[Any, Any]:
    """inductor's."""
    from torch._inductor.decomposition import select_decomp_table

    return select_decomp_table()


def table_in_place() -> Callable[[], dict[Any, Any]]:
    """What compile_fx asks for decompositions: `decomposition_table`, or another's."""
    found: Callable[[], dict[Any, Any]] = _compile_fx_module().select_decomp_table
    return found


@contextlib.contextmanager
def with_table(table: Callable[[], dict[Any, Any]]) -> Iterator[None]:
    """For all that goes through compile_fx, the stand-in for inductor as well."""
    from torch._functorch import config as functorch_config
    from torch._inductor import config

    module, before = _compile_fx_module(), table_in_place()
    module.select_decomp_table = table
    try:
        # x + 0 rounds x to the grid of additions: it is not nothing, and is not folded away. What is cached by the graph
        # before it is decomposed would be taken for what other decompositions made of it.
        with (
            config.patch(joint_graph_constant_folding=False),
            functorch_config.patch(enable_autograd_cache=False),
        ):
            yield
    finally:
        module.select_decomp_table = before


@functools.cache
def _compile_fx_module() -> Any:
    return importlib.import_module("torch._inductor.compile_fx")  # it does not export what is replaced here


# Imported before ranks are forked, as far as a release has it.
MODULES_OF_RANKS = (
    "torch.distributed.device_mesh",
    "torch.distributed.tensor.parallel",
    "torch.distributed.fsdp",
    "torch.distributed.pipelining",
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper",
    "torch.distributed._composable.replicate",
    "torch.nn.parallel",
    "torch.utils.checkpoint",
    "torch._dynamo",
    "torch._functorch.aot_autograd",
    "torch._inductor.compile_fx",
)
