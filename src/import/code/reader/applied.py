"""The items that calls of transforms are: which transform by the arguments, on what, and the options that are written out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from catalogue import BACKENDS, DATA_PARALLEL_MODES, MIXED_PRECISION, QUANTIZE_MODES
from dropped import dropped_name
from expressions import scope_of, written
from plans import facts_of
from tree import Change, Choice
from values import UNKNOWN, Value, is_function_name

if TYPE_CHECKING:
    from calls import Arguments
    from walk import Frame


def apply_transform(frame: Frame, what: str, ref: str, arguments: Arguments) -> Value:
    """Notes what a call of `ref` applies, and gives back the module that the call returns."""
    node, scope, root = arguments.node, arguments.scope(), arguments.root()
    target = Value(scope=scope or "model", root=root)
    if what == "fsdp1":
        why = (
            "it is FSDP1; rules and runs here are of FSDP2, fully_shard: its place in the order is not judged"
        )
        frame.note(node.func, why)
        return target
    if what == "adapter":
        frame.item(node, "adapter", "", root=root)
        return target
    if what == "fsdp":
        _fully_shard(frame, arguments, target)
        return target
    if what == "compile":
        return _torch_compile(frame, arguments)
    if what == "plan":
        _plan(frame, arguments)
    elif what in ("ac", "ac_everywhere"):
        _checkpoint(frame, arguments, "block" if what == "ac_everywhere" else scope or "block", ref)
    elif what == "ddp":
        frame.item(node, "ddp", scope or "model", "", _ddp_options(arguments), root)
    elif what == "stage":
        frame.item(node, "pp", "stage")
        return UNKNOWN
    elif what.startswith("schedule="):
        frame.steps.append(Change("pp", what.partition("=")[2], ""))
    elif what == "fp8":
        frame.item(node, "quantize", "model", "fp8", root=root)
    elif what == "precision":
        frame.item(node, "quantize", "model", _quantize_mode(arguments), root=root)
    elif what == "amp":
        # In the forward of a module it keeps some operations in a dtype, whatever the model's is.
        if arguments.word(-1, "enabled") is False or frame.function.name.endswith("forward"):
            return target
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
        frame.item(node, what, scope or "model", root=root)
    return target


def _fully_shard(frame: Frame, arguments: Arguments, target: Value) -> None:
    name, options = "fsdp", []
    reshard = arguments.word(-1, "reshard_after_forward")
    if isinstance(reshard, bool):
        options.append(("reshard", "always" if reshard else "never"))
    precision = _mixed_precision(arguments.value(-1, "mp_policy"))
    if precision:
        options.append(("mp", precision))
    axes = (arguments.value(1, "mesh", "device_mesh") or UNKNOWN).field("axes")
    words = next(iter(axes.literals)) if axes is not None and len(axes.literals) == 1 else ()
    if _is_hybrid(words):
        name = "hsdp"
    frame.item(arguments.node, name, target.scope, "", tuple(options), target.root)


def _is_hybrid(words: object) -> bool:
    return isinstance(words, tuple) and len(words) == 2 and any("replicate" in str(word) for word in words)


def _mixed_precision(policy: Value | None) -> str:
    if policy is None or not any(ref.rpartition(".")[2] == "MixedPrecisionPolicy" for ref in policy.made_by):
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
        frame.note(arguments.node, "it compiles a function or class, no module of the model", is_open=False)
        return UNKNOWN
    if is_function_name(last):
        frame.note(
            arguments.node, "by its name it compiles a function, no module of the model", is_open=False
        )
        return UNKNOWN
    if _is_dropped(frame, arguments.node):
        return UNKNOWN
    apply_compile(frame, arguments.node, scope or "model", arguments, arguments.root(), in_place=False)
    return Value(scope=scope or "model", root=arguments.root())


def _is_dropped(frame: Frame, node: ast.Call) -> bool:
    """Names a wrapper that nothing reads: the model stays as it was."""
    name = dropped_name(frame.function.node, frame.statement, node)
    if name is None:
        return False
    to = (
        f"its result is bound to `{name}`, which nothing reads afterwards"
        if name
        else "nothing holds its result"
    )
    frame.note(node, f"{to}: dropped, so it has no effect")
    return True


def apply_compile(
    frame: Frame, node: ast.Call, scope: str, arguments: Arguments, root: str, in_place: bool
) -> None:
    options = [] if in_place else [("wrap", "")]
    if arguments.word(-1, "fullgraph") is True:
        options.append(("fullgraph", ""))
    backend = arguments.word(-1, "backend")
    mode = backend if isinstance(backend, str) and backend in BACKENDS else ""
    if isinstance(backend, str) and not mode:
        frame.note(node, "no mode of compile stands for this backend", f'backend="{backend}"')
    frame.item(node, "compile", scope, mode, tuple(options), root)


def _plan(frame: Frame, arguments: Arguments) -> None:
    node, root = arguments.node, arguments.root()
    given = arguments.value(2, "parallelize_plan")
    plan = given or UNKNOWN
    written_as = arguments.named_nodes.get("parallelize_plan") or next(iter(arguments.nodes[2:3]), None)
    is_partial = any(isinstance(one, ast.Starred) for one in node.args) or any(
        one.arg is None for one in node.keywords
    )
    is_none = isinstance(written_as, ast.Constant) and written_as.value is None
    if (given is None and not is_partial) or is_none:
        frame.note(node, "it is given no parallelize_plan: PyTorch warns and applies nothing")
        return
    experts = any("Expert" in name and "Parallel" in name for name in plan.mentions)
    if any("ContextParallel" in name for name in plan.mentions):
        frame.item(node, "cp", arguments.scope() or "attention", root=root)
    elif experts:
        frame.item(node, "ep", "experts", root=root)
    else:
        if not plan.mentions:
            frame.note(node, "its plan is made elsewhere: taken for tensor parallelism", is_open=False)
        _, target = arguments.target()
        facts = facts_of(plan, arguments.scope(), written(target) if target is not None else "")
        frame.item(node, "tp", arguments.scope() or "model", root=root, plan=facts | {"plan"})


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
    if ref.endswith(".checkpoint_wrapper") and _is_dropped(frame, arguments.node):
        return
    frame.item(
        arguments.node,
        "sac" if is_selective else "ac",
        "block" if inside_forward else scope,
        "",
        tuple(options),
        arguments.root(),
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
        frame.note(arguments.node.func, "no mode of optimizer stands for it", is_open=False)
    frame.item(arguments.node, "optimizer", "model", mode, tuple(options))


def _number(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _data_parallel(frame: Frame, arguments: Arguments) -> None:
    value = arguments.value(2, "mode")
    words = sorted(str(word) for word in (value.literals if value is not None else ["replicate"]))
    names = [(word, DATA_PARALLEL_MODES[word]) for word in words if word in DATA_PARALLEL_MODES]
    scope, root = arguments.scope() or "model", arguments.root()
    if not names:
        frame.note(arguments.node, "its mode is no constant: taken for fully_shard")
        names = [("fully_shard", "simple_fsdp")]
    if len(names) == 1:
        frame.item(arguments.node, names[0][1], scope, root=root)
        return
    of = written(arguments.named_nodes["mode"] if "mode" in arguments.named_nodes else arguments.nodes[2])
    options = []
    for word, name in names:

        def apply(name: str = name) -> None:
            frame.item(arguments.node, name, scope, root=root)

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
