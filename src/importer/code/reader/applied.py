"""The items that calls of transforms are: which transform by the arguments, on what, and the options that are written out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from catalogue import BACKENDS, DATA_PARALLEL_MODES, MIXED_PRECISION, QUANTIZE_MODES
from expressions import scope_of, written
from tree import Change, Choice
from values import UNKNOWN, Value, is_function_name

if TYPE_CHECKING:
    from calls import Arguments
    from walk import Frame


def apply_transform(frame: Frame, what: str, ref: str, arguments: Arguments) -> Value:
    """Notes what a call of `ref` applies, and gives back the module that the call returns."""
    node, scope = arguments.node, arguments.scope()
    target = Value(scope=scope or "model")
    if what in ("fsdp", "fsdp1"):
        return _fully_shard(frame, what, arguments, scope or "model")
    if what == "compile":
        return _torch_compile(frame, arguments)
    if what == "plan":
        _plan(frame, arguments)
    elif what in ("ac", "ac_everywhere"):
        _checkpoint(frame, arguments, "block" if what == "ac_everywhere" else scope or "block", ref)
    elif what == "ddp":
        frame.item(node, "ddp", scope or "model", "", _ddp_options(arguments))
    elif what == "stage":
        frame.item(node, "pp", "stage")
        return UNKNOWN
    elif what.startswith("schedule="):
        frame.steps.append(Change("pp", what.partition("=")[2], ""))
    elif what == "fp8":
        frame.item(node, "quantize", "model", "fp8")
    elif what == "precision":
        frame.item(node, "quantize", "model", _quantize_mode(arguments))
    elif what == "amp":
        frame.item(node, "amp", "model", _dtype(arguments.value(1, "dtype")))
    elif what == "optimizer":
        _optimizer(frame, ref, arguments)
        return Value(made_by=frozenset([ref]))
    elif what == "clip":
        largest = arguments.word(1, "max_norm")
        if isinstance(largest, (int, float)) and not isinstance(largest, bool):
            frame.steps.append(Change("optimizer", "clip", _number(largest)))
    elif what == "data_parallel":
        _data_parallel(frame, arguments)
    else:
        frame.item(node, what, scope or "model")
    return target


def _fully_shard(frame: Frame, what: str, arguments: Arguments, scope: str) -> Value:
    name, options = "fsdp", []
    reshard = arguments.word(-1, "reshard_after_forward")
    if isinstance(reshard, bool):
        options.append(("reshard", "always" if reshard else "never"))
    precision = _mixed_precision(arguments.value(-1, "mp_policy") or arguments.value(-1, "mixed_precision"))
    if precision:
        options.append(("mp", precision))
    axes = (arguments.value(1 if what == "fsdp" else -1, "mesh", "device_mesh") or UNKNOWN).field("axes")
    words = next(iter(axes.literals)) if axes is not None and len(axes.literals) == 1 else ()
    strategy = (arguments.value(-1, "sharding_strategy") or UNKNOWN).refs
    if any(ref.endswith("HYBRID_SHARD") for ref in strategy) or _is_hybrid(words):
        name = "hsdp"
    if what == "fsdp1":
        frame.note(arguments.node.func, "it is FSDP1; rules and evidence are of FSDP2, fully_shard")
        if "auto_wrap_policy" in arguments.named:
            scope = "block"
    frame.item(arguments.node, name, scope, "", tuple(options))
    return Value(scope=scope)


def _is_hybrid(words: object) -> bool:
    return isinstance(words, tuple) and len(words) == 2 and any("replicate" in str(word) for word in words)


def _mixed_precision(policy: Value | None) -> str:
    if policy is None or not any(
        ref.rpartition(".")[2] in ("MixedPrecisionPolicy", "MixedPrecision") for ref in policy.made_by
    ):
        return ""
    return _dtype(policy.field("param_dtype"))


def _dtype(value: Value | None) -> str:
    refs = value.refs if value is not None else frozenset()
    return MIXED_PRECISION.get(next(iter(refs)), "") if len(refs) == 1 else ""


def _torch_compile(frame: Frame, arguments: Arguments) -> Value:
    value, target = arguments.target()
    if target is None:  # torch.compile(fullgraph=True) waits for what it is called with
        return Value(refs=frozenset(["torch.compile"]), fields=tuple(arguments.named.items()))
    scope = scope_of(value, target)
    last = written(target).rpartition(".")[2]
    if value.refs and not (value.scope and last == "forward"):
        frame.note(arguments.node, "it compiles a function or class, no module of the model")
        return UNKNOWN
    if is_function_name(last):
        frame.note(arguments.node, "by its name it compiles a function, no module of the model")
        return UNKNOWN
    apply_compile(frame, arguments.node, scope or "model", arguments, in_place=False)
    return Value(scope=scope or "model")


def apply_compile(frame: Frame, node: ast.Call, scope: str, arguments: Arguments, in_place: bool) -> None:
    options = [] if in_place else [("wrap", "")]
    if arguments.word(-1, "fullgraph") is True:
        options.append(("fullgraph", ""))
    backend = arguments.word(-1, "backend")
    mode = backend if isinstance(backend, str) and backend in BACKENDS else ""
    if isinstance(backend, str) and not mode:
        frame.note(node, "no mode of compile stands for this backend", f'backend="{backend}"')
    frame.item(node, "compile", scope, mode, tuple(options))


def _plan(frame: Frame, arguments: Arguments) -> None:
    plan = arguments.value(2, "parallelize_plan") or UNKNOWN
    experts = any("Expert" in name and "Parallel" in name for name in plan.mentions)
    if any("ContextParallel" in name for name in plan.mentions):
        frame.item(arguments.node, "cp", arguments.scope() or "attention")
    elif experts:
        frame.item(arguments.node, "ep", "experts")
    else:
        if not plan.mentions:
            frame.note(arguments.node, "its plan is made elsewhere: taken for tensor parallelism")
        frame.item(arguments.node, "tp", arguments.scope() or "model")


def _checkpoint(frame: Frame, arguments: Arguments, scope: str, ref: str) -> None:
    options = []
    impl = (arguments.value(-1, "checkpoint_impl") or UNKNOWN).refs
    if any(one.endswith(".REENTRANT") for one in impl) or arguments.word(-1, "use_reentrant") is True:
        options.append(("reentrant", ""))
    preserve = arguments.word(-1, "preserve_rng_state")
    if preserve is False:
        options.append(("preserve_rng_state", "off"))
    wrapper = arguments.value(1, "checkpoint_wrapper_fn") or UNKNOWN
    context = arguments.named.get("context_fn") or wrapper.field("context_fn")
    is_selective = context is not None and context.literals != frozenset([None])
    if is_selective:
        options = [option for option in options if option[0] != "reentrant"]
    inside_forward = ref.startswith("torch.utils.checkpoint.")
    frame.item(
        arguments.node,
        "sac" if is_selective else "ac",
        "block" if inside_forward else scope,
        "",
        tuple(options),
    )


def _ddp_options(arguments: Arguments) -> tuple[tuple[str, str], ...]:
    options = []
    size = arguments.word(-1, "bucket_cap_mb")
    if isinstance(size, (int, float)) and size > 0 and (size * 1024) % 1 == 0:
        options.append(("bucket_kib", str(int(size * 1024))))
    if "device_mesh" in arguments.named:
        options.append(("device_mesh", ""))
    return tuple(options)


def _quantize_mode(arguments: Arguments) -> str:
    config = arguments.value(1, "config") or UNKNOWN
    for name in sorted(config.mentions):
        for part, mode in QUANTIZE_MODES:
            if part in name:
                return mode
    return ""


def _optimizer(frame: Frame, ref: str, arguments: Arguments) -> None:
    options = []
    for name in ("lr", "weight_decay"):
        number = arguments.word(-1, name)
        if isinstance(number, (int, float)) and not isinstance(number, bool) and number >= 0:
            options.append((name, _number(number)))
    if arguments.word(-1, "foreach") is False:
        options.append(("foreach", "off"))
    mode = {"AdamW": "adamw", "SGD": "sgd"}.get(ref.rpartition(".")[2], "")
    if not mode:
        frame.note(arguments.node.func, "no mode of optimizer stands for it")
    frame.item(arguments.node, "optimizer", "model", mode, tuple(options))


def _number(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _data_parallel(frame: Frame, arguments: Arguments) -> None:
    value = arguments.value(2, "mode")
    words = sorted(str(word) for word in (value.literals if value is not None else ["replicate"]))
    names = [(word, DATA_PARALLEL_MODES[word]) for word in words if word in DATA_PARALLEL_MODES]
    scope = arguments.scope() or "model"
    if not names:
        frame.note(arguments.node, "its mode is no constant: taken for fully_shard")
        names = [("fully_shard", "simple_fsdp")]
    if len(names) == 1:
        frame.item(arguments.node, names[0][1], scope)
        return
    of = written(arguments.named_nodes["mode"] if "mode" in arguments.named_nodes else arguments.nodes[2])
    options = []
    for word, name in names:

        def apply(name: str = name) -> None:
            frame.item(arguments.node, name, scope)

        options.append((f'"{word}"', frame.part(apply)))
    frame.steps.append(Choice(frame.where, of, tuple(options)))


def apply_accelerate(frame: Frame, node: ast.Call, accelerator: Value) -> Value:
    """accelerate applies what its plugins say in an order of its own: matrix/frameworks/accelerate.toml."""
    found: list[tuple[str, str]] = []
    parallelism = accelerator.field("parallelism_config") or UNKNOWN
    for field, name in (("tp_size", "tp"), ("cp_size", "cp")):
        size = parallelism.field(field)
        if size is not None and size.literals != frozenset([1]):
            found.append((name, ""))
    precision = accelerator.field("mixed_precision")
    if precision is not None and precision.literals == frozenset(["fp8"]):
        found.append(("quantize", "fp8"))
    plugin = accelerator.field("fsdp_plugin") or UNKNOWN
    checkpointing = plugin.field("activation_checkpointing")
    if checkpointing is not None and checkpointing.literals == frozenset([True]):
        found.append(("ac", ""))
    if accelerator.field("dynamo_backend") is not None or accelerator.field("dynamo_plugin") is not None:
        found.append(("compile", ""))
    if accelerator.field("fsdp_plugin") is not None:
        found.append(("fsdp", ""))
    for name, mode in found:
        frame.item(node, name, "block" if name in ("ac", "compile", "fsdp") else "model", mode)
    frame.note(node, "what else it applies is in accelerate's configuration; the order is accelerate's own")
    return UNKNOWN
