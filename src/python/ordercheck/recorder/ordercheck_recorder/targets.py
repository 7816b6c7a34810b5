"""Lists the calls that are recorded: where torch and torchao define each, and what of its arguments is kept.

A wrapper replaces the function in the module that defines it, before anybody can import it from there. Functions that
torch.compile recognizes by identity, such as torch.utils.checkpoint.checkpoint, stay as they are: what they call is wrapped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .describe import Described, described, fields_of, name_of, styles_of

Arguments = Mapping[str, Any]  # by the parameter's name; "self" for a method


@dataclass(frozen=True)
class Target:
    call: str  # the name in the recording
    modules: tuple[str, ...]  # where releases define it, the newest first
    attribute: str  # "fully_shard", or "Optimizer.__init__"
    options: Callable[[Arguments], dict[str, Described]] = lambda arguments: {}
    module_argument: str = ""  # the parameter that is the module, or a list of modules
    mesh_argument: str = ""
    group_argument: str = ""  # the process group to use if there is no mesh; without either, all ranks
    in_forward: bool = False  # is called in every step: recorded until the first step ends
    is_repeated: bool = False  # may be called in every step too: recorded once a place
    is_optional: bool = False  # not named among what this release of torch lacks
    keeps_nested: bool = False  # recorded also within another recorded call


def _chosen(*names: str) -> Callable[[Arguments], dict[str, Described]]:
    return lambda arguments: {n: described(arguments[n]) for n in names if arguments.get(n) is not None}


def _sharding(arguments: Arguments) -> dict[str, Described]:
    options = _chosen("reshard_after_forward")(arguments)
    if precision := fields_of(arguments.get("mp_policy"), ("param_dtype", "reduce_dtype", "output_dtype")):
        options["mp_policy"] = precision
    if dims := arguments.get("dp_mesh_dims"):
        options["dp_mesh_dims"] = {
            kind: [names] if isinstance(names, str) else list(names)
            for kind in ("shard", "replicate")
            if (names := getattr(dims, kind, None)) is not None
        }
    if (
        arguments.get("offload_policy") is not None
        and name_of(arguments["offload_policy"]) != "OffloadPolicy"
    ):
        options["offload_policy"] = name_of(arguments["offload_policy"])
    return options


def _sharding_of_fsdp1(arguments: Arguments) -> dict[str, Described]:
    return _chosen("sharding_strategy", "auto_wrap_policy", "use_orig_params")(arguments)


def _plan(arguments: Arguments) -> dict[str, Described]:
    return {"plan": styles_of(arguments.get("parallelize_plan"))}


def _checkpointing(arguments: Arguments) -> dict[str, Described]:
    kept = {
        key: arguments.get(key)
        for key in ("use_reentrant", "preserve_rng_state", "context_fn", "checkpoint_impl")
    }
    kept |= {
        key: value for key, value in (arguments.get("checkpoint_fn_kwargs") or {}).items() if key in kept
    }
    options = {key: described(value) for key, value in kept.items() if value is not None}
    if "checkpoint_impl" in options:
        options["checkpoint_impl"] = getattr(kept["checkpoint_impl"], "name", "")
    return {key: value for key, value in options.items() if value != "noop_context_fn"}


def _stage(arguments: Arguments) -> dict[str, Described]:
    return _chosen("stage_index", "num_stages")(arguments)


def _schedule(arguments: Arguments) -> dict[str, Described]:
    return {"class": name_of(arguments["self"]), **_chosen("n_microbatches")(arguments)}


def _compile(arguments: Arguments) -> dict[str, Described]:
    given = {**arguments, **(arguments.get("kwargs") or {})}
    return _chosen("backend", "mode", "fullgraph", "dynamic", "disable")(given)


def _optimizer(arguments: Arguments) -> dict[str, Described]:
    defaults = arguments.get("defaults") or {}
    return {"class": name_of(arguments["self"]), **_chosen("foreach", "fused")(defaults)}


def _autocast(arguments: Arguments) -> dict[str, Described]:
    entered = arguments["self"]
    found = {"device": "device", "dtype": "fast_dtype", "enabled": "_enabled"}
    return {key: described(getattr(entered, name, None)) for key, name in found.items()}


def _degrees_of_torchtitan(arguments: Arguments) -> dict[str, Described]:
    dims = arguments["parallel_dims"]
    return {name: described(getattr(dims, name, None)) for name in ("tp", "cp", "ep", "spmd_backend")}


_COMPOSABLE = "torch.distributed._composable."
_CONTEXT_PARALLEL = (
    "torch.distributed.tensor.experimental._context_parallel._attention",
    "torch.distributed.tensor.experimental._attention",
)
_WRAPPER = ("torch.distributed.algorithms._checkpoint.checkpoint_wrapper",)
_CHECKPOINT = ("torch.utils.checkpoint",)

TARGETS: tuple[Target, ...] = (
    Target(
        "fully_shard",
        ("torch.distributed.fsdp._fully_shard._fully_shard", _COMPOSABLE + "fsdp.fully_shard"),
        "fully_shard",
        _sharding,
        "module",
        "mesh",
    ),
    Target(
        "FullyShardedDataParallel",
        ("torch.distributed.fsdp.fully_sharded_data_parallel",),
        "FullyShardedDataParallel.__init__",
        _sharding_of_fsdp1,
        "module",
        "device_mesh",
        keeps_nested=True,
    ),
    Target(
        "DistributedDataParallel",
        ("torch.nn.parallel.distributed",),
        "DistributedDataParallel.__init__",
        _chosen("static_graph", "gradient_as_bucket_view", "find_unused_parameters"),
        "module",
        "device_mesh",
        "process_group",
    ),
    Target(
        "replicate",
        (_COMPOSABLE + "replicate_with_fsdp",),
        "replicate",
        _sharding,
        "module",
        "mesh",
        is_optional=True,
    ),
    Target(
        "replicate",
        (_COMPOSABLE + "replicate",),
        "replicate",
        module_argument="module",
        mesh_argument="device_mesh",
        group_argument="process_group",
    ),
    Target(
        "parallelize_module",
        ("torch.distributed.tensor.parallel.api",),
        "parallelize_module",
        _plan,
        "module",
        "device_mesh",
    ),
    Target(
        "distribute_module",
        ("torch.distributed.tensor._api", "torch.distributed._tensor.api"),
        "distribute_module",
        _chosen("partition_fn", "input_fn", "output_fn"),
        "module",
        "device_mesh",
    ),
    Target(
        "distribute_tensor",
        ("torch.distributed.tensor._api", "torch.distributed._tensor.api"),
        "distribute_tensor",
        lambda arguments: {"placements": [described(one) for one in arguments.get("placements") or ()]},
        mesh_argument="device_mesh",
        is_repeated=True,
    ),
    Target("loss_parallel", ("torch.distributed.tensor.parallel.loss",), "loss_parallel", in_forward=True),
    # Its constructor: apply_activation_checkpointing has bound the function checkpoint_wrapper as a default.
    Target(
        "checkpoint_wrapper", _WRAPPER, "CheckpointWrapper.__init__", _checkpointing, "mod", keeps_nested=True
    ),
    Target(
        "apply_activation_checkpointing", _WRAPPER, "apply_activation_checkpointing", module_argument="model"
    ),
    Target(
        "composable checkpoint",
        (_COMPOSABLE + "checkpoint_activation",),
        "checkpoint",
        lambda arguments: _checkpointing({**arguments, **(arguments.get("kwargs") or {})}),
        "module",
    ),
    Target(
        "checkpoint",
        _CHECKPOINT,
        "_checkpoint_without_reentrant_generator_impl",
        _checkpointing,
        "fn",
        in_forward=True,
        is_optional=True,
    ),
    Target(
        "checkpoint",
        _CHECKPOINT,
        "_checkpoint_without_reentrant_generator",
        _checkpointing,
        "fn",
        in_forward=True,
    ),
    Target(
        "checkpoint",
        _CHECKPOINT,
        "CheckpointFunction.forward",
        lambda arguments: {**_checkpointing(arguments), "use_reentrant": True},
        "run_function",
        in_forward=True,
    ),
    Target("torch.compile", ("torch",), "compile", _compile, "model"),
    Target("Module.compile", ("torch.nn.modules.module",), "Module.compile", _compile, "self"),
    Target(
        "pipeline stage",
        ("torch.distributed.pipelining.stage",),
        "_PipelineStageBase.__init__",
        _stage,
        "submodule",
        group_argument="group",
    ),
    Target(
        "pipeline schedule",
        ("torch.distributed.pipelining.schedules",),
        "_PipelineSchedule.__init__",
        _schedule,
    ),
    Target("context_parallel", _CONTEXT_PARALLEL, "context_parallel", mesh_argument="mesh", in_forward=True),
    Target(
        "context_parallel_shard",
        _CONTEXT_PARALLEL,
        "_context_parallel_shard",
        mesh_argument="mesh",
        in_forward=True,
        is_optional=True,
    ),
    Target(
        "context parallel attention",
        _CONTEXT_PARALLEL,
        "_enable_context_parallel_dispatcher_impl",
        mesh_argument="mesh",
        in_forward=True,
        is_optional=True,
    ),
    Target("init_device_mesh", ("torch.distributed.device_mesh",), "init_device_mesh"),
    Target("optimizer", ("torch.optim.optimizer",), "Optimizer.__init__", _optimizer),
    Target(
        "clip_grad_norm_",
        ("torch.nn.utils.clip_grad",),
        "clip_grad_norm_",
        _chosen("norm_type", "foreach"),
        in_forward=True,
    ),
    Target("autocast", ("torch.amp.autocast_mode",), "autocast.__enter__", _autocast, in_forward=True),
    # Functions of frameworks that do not come down to the calls above.
    Target(
        "torchtitan Module.parallelize",
        ("torchtitan.protocols.module",),
        "Module.parallelize",
        _degrees_of_torchtitan,
        "self",
        is_optional=True,
    ),
    Target(
        "torchtitan data_parallel",
        (
            "torchtitan.experiments.graph_trainer.simple_fsdp",
            "torchtitan.experiments.simple_fsdp.simple_fsdp",
        ),
        "data_parallel",
        _chosen("mode"),
        "model",
        "device_mesh",
        is_optional=True,
    ),
    Target(
        "deepspeed.initialize",
        ("deepspeed",),
        "initialize",
        module_argument="model",
        is_optional=True,
    ),
    Target(
        "convert_to_float8_training",
        ("torchao.float8.float8_linear_utils",),
        "convert_to_float8_training",
        module_argument="module",
        is_optional=True,
    ),
    Target(
        "quantize_",
        ("torchao.quantization.quant_api",),
        "quantize_",
        _chosen("config"),
        "model",
        is_optional=True,
    ),
)
