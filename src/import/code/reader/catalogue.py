"""Which calls apply which transform: an explicit table. A name counts only where it is imported from the package of its row."""

from __future__ import annotations

DOT_OF_A_FOLDER = (
    "\0"  # in the name of a relative import, which begins with the folder that it is relative to
)

# last name of a callable -> [(package it is imported from, transform)]. What `plan` or `precision` is, the arguments say.
CALLS: dict[str, list[tuple[str, str]]] = {
    "fully_shard": [("torch.distributed", "fsdp")],
    "FullyShardedDataParallel": [("torch.distributed.fsdp", "fsdp1")],
    "DistributedDataParallel": [("torch.nn", "ddp")],
    "replicate": [("torch.distributed", "replicate")],
    "parallelize_module": [("torch.distributed.tensor", "plan"), ("torch.distributed._tensor", "plan")],
    "checkpoint_wrapper": [("torch.distributed", "ac")],
    "apply_activation_checkpointing": [("torch.distributed", "ac_everywhere")],
    "checkpoint": [("torch.utils.checkpoint", "ac"), ("torch.distributed._composable", "ac")],
    "checkpoint_sequential": [("torch.utils.checkpoint", "ac")],
    "compile": [("torch", "compile")],
    "PipelineStage": [("torch.distributed.pipelining", "stage")],
    "pipeline": [("torch.distributed.pipelining", "pp")],
    "context_parallel": [("torch.distributed.tensor.experimental", "cp")],
    "convert_to_float8_training": [("torchao", "fp8")],
    "quantize_": [("torchao", "precision")],
    "autocast": [("torch", "amp")],
    "clip_grad_norm_": [("torch.nn.utils", "clip"), ("torchtitan", "clip")],
    "data_parallel": [("torchtitan", "data_parallel")],
    "get_peft_model": [("peft", "adapter")],
    "AutoParallel": [("autoparallel", "auto_parallel")],
    "ScheduleGPipe": [("torch.distributed.pipelining", "schedule=gpipe")],
    "Schedule1F1B": [("torch.distributed.pipelining", "schedule=1f1b")],
    "ScheduleInterleaved1F1B": [("torch.distributed.pipelining", "schedule=interleaved")],
    "ScheduleInterleavedZeroBubble": [("torch.distributed.pipelining", "schedule=zero_bubble")],
    "ScheduleZBVZeroBubble": [("torch.distributed.pipelining", "schedule=zbv")],
    "ScheduleDualPipeV": [("torch.distributed.pipelining", "schedule=dualpipev")],
}

# Published projects whose functions of these names are taken at their word where their own code is not among the files read.
PROJECTS = ("torchtitan", "prime_rl", "nemo_automodel")
PROJECT_CALLS: dict[str, tuple[str, ...]] = {
    "apply_tp": ("tp",),
    "apply_non_moe_tp": ("tp",),
    "apply_moe_ep_tp": ("tp", "ep"),
    "apply_ep": ("ep",),
    "apply_cp": ("cp",),
    "apply_cp_to_attention_module": ("cp",),
    "apply_ac": ("ac",),
    "apply_compile": ("compile",),
    "apply_fsdp": ("fsdp",),
    "setup_fsdp": ("fsdp",),
    "apply_hsdp": ("hsdp",),
    "apply_ddp": ("ddp",),
    "apply_replicate": ("replicate",),
    "pipeline_llm": ("pp",),
}
# torchtitan's apply_ddp calls the composable replicate.
PROJECT_EXCEPTIONS: dict[tuple[str, str], tuple[str, ...]] = {("torchtitan", "apply_ddp"): ("replicate",)}

# Methods of a module, whatever class it is of.
METHODS: dict[str, str] = {
    "gradient_checkpointing_enable": "flag",
    "enable_gradient_checkpointing": "flag",  # of diffusers
    "set_cp_mesh": "cp",
    "requires_grad_": "frozen",
    "compile": "compile",
}

# Methods that every module has, and those of published wrappers and models that apply no transform.
_MODULE_METHODS = """
add_module append apply apply_chat_template backward bfloat16 buffers cast children clip_grad_norm_ copy cpu cuda double
enable_input_require_grads eval extend extra_repr float forward generate half insert items join keys load_state_dict
modules named_buffers named_children named_modules named_parameters no_sync parameters pop push_to_hub
register_backward_hook register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
register_full_backward_pre_hook register_load_state_dict_post_hook register_module register_parameter
register_state_dict_pre_hook requires_grad_ reset_parameters reshard resize_token_embeddings set_extra_state
set_input_embeddings set_is_last_backward set_modules_to_backward_prefetch set_modules_to_forward_prefetch
set_output_embeddings set_requires_gradient_sync set_reshard_after_backward set_submodule share_memory state_dict step
tie_weights to to_empty train type unshard update values zero_grad
"""
MODULE_METHODS = frozenset(_MODULE_METHODS.split())

# What applies transforms by a configuration that code does not show: (package, last name) -> why.
UNREADABLE: dict[tuple[str, str], str] = {
    ("transformers", "Trainer"): "it applies what its TrainingArguments and accelerate's configuration say",
    ("trl", "SFTTrainer"): "it applies what its arguments and accelerate's configuration say",
    ("deepspeed", "initialize"): "it applies what DeepSpeed's configuration says",
    ("lightning", "Trainer"): "it applies what its strategy says",
    ("pytorch_lightning", "Trainer"): "it applies what its strategy says",
    (
        "modalities",
        "ComponentFactory",
    ): "it builds the models that a configuration names, each of the one before",
    ("runpy", "run_module"): "it runs a program that is not among the files read",
    ("runpy", "run_path"): "it runs a program that is not among the files read",
}

MIXED_PRECISION = {"torch.bfloat16": "bf16", "torch.float16": "fp16", "torch.half": "fp16"}
BACKENDS = ("inductor", "aot_eager")
QUANTIZE_MODES = (
    ("MX", "mxfp8"),
    ("Float8", "fp8"),
    ("float8", "fp8"),
    ("Int8", "int8"),
    ("int8", "int8"),
    ("Int4", "int4"),
    ("int4", "int4"),
)
DATA_PARALLEL_MODES = {
    "fully_shard": "simple_fsdp",
    "hybrid_shard": "simple_hsdp",
    "replicate": "simple_replicate",
}

# Scopes that a printed item has by itself, as src/stack/transforms.cpp lists them; of others the scope is never written.
DEFAULT_SCOPE = {
    "ac": "block",
    "sac": "block",
    "compile": "block",
    "fsdp": "block",
    "hsdp": "block",
    "replicate": "model",
    "quantize": "model",
    "lora": "model",
    "freeze": "model",
    "forward": "model",
}

# A function of another package that is given a module and is called like this may apply a transform.
TELLING_WORDS = (
    "parallel",
    "shard",
    "wrap",
    "compile",
    "checkpoint",
    "fsdp",
    "ddp",
    "quant",
    "pipeline",
    "distribute",
    "apply_",
)
# Methods that apply something to the model they are given, whatever object they are of.
APPLYING_NAMES = ("apply", "boost", "setup", "setup_module", "setup_model", "prepare_model")
# What a function whose name begins like this does, it does to no order.
ASKING_WORDS = (
    "is_",
    "get_",
    "has_",
    "log",
    "num_",
    "count",
    "print",
    "disable_",
    "init",
    "save",
    "load",
    "resume",
    "restore",
    "unwrap",
    "assert",
    "check_",
    "_assert",
    "test",
)
# Of torch and its relatives, what only looks like it.
HARMLESS_PACKAGES = (
    "torch",
    "torchao",
    "logging",
    "os",
    "functools",
    "itertools",
    "typing",
    "numpy",
    "builtins",
    "copy",
    "re",
    "math",
    "json",
    "time",
    "pathlib",
    "collections",
)


def of_package(ref: str, package: str) -> bool:
    return ref == package or ref.startswith(package + ".")


def transform_of(ref: str) -> str | None:
    """What the callable that `ref` names in full applies, by CALLS; None for any other."""
    package, _, last = ref.rpartition(".")
    for wanted, transform in CALLS.get(last, []):
        if last in ("compile", "autocast"):
            # torch.compile and torch.compiler.compile; torch.autocast and torch.amp.autocast, but not torch.jit.compile.
            if package in (wanted, wanted + ".compiler", wanted + ".amp", wanted + ".cuda.amp"):
                return transform
        elif of_package(package, wanted):
            return transform
    if of_package(package, "torch.optim") and last[:1].isupper() and not last.endswith(("LR", "Scheduler")):
        return None if ".lr_scheduler" in package or ".swa_utils" in package else "optimizer"
    return None


def project_name(ref: str, parts: tuple[str, ...]) -> str:
    """The name in full of a function of a published project, also where its own code names it from where that is."""
    if not parts and ref.startswith("/"):
        parts = tuple(
            ref.rpartition(".")[0].replace(DOT_OF_A_FOLDER, "-").replace(".", "/").strip("/").split("/")
        )
    for project in PROJECTS:
        if project in parts:
            last = len(parts) - parts[::-1].index(project) - 1
            return ".".join((*parts[last:], ref.rpartition(".")[2]))
    return ref


def helper_of(ref: str) -> tuple[str, ...]:
    """The transforms of a published project's function, by its name; empty for any other."""
    project, last = ref.split(".")[0], ref.rpartition(".")[2]
    if project not in PROJECTS:
        return ()
    return PROJECT_EXCEPTIONS.get((project, last), PROJECT_CALLS.get(last, ()))


def unreadable(ref: str) -> str:
    for (package, last), why in UNREADABLE.items():
        if ref.rpartition(".")[2] == last and of_package(ref, package):
            return why
    return ""
