"""torchtitan's config_registry.py: functions that make a configuration or change that of another one, as stacks."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace

from expressions import written
from source import Module
from tree import Item, Note

FILE = "config_registry"
# Where the order of a configuration is fixed: torchtitan's models apply what it switches on in this one.
ORDER_FROM = "torchtitan v0.3.0, models/llama3/parallelize.py 25-90 (2026-09-03)"
CONFIGURATIONS = ("Trainer.Config", "TrainerConfig")
DEEPEST = 16  # functions that change the configuration of another one
SCHEDULES = {
    "1F1B": "1f1b",
    "GPipe": "gpipe",
    "Interleaved1F1B": "interleaved",
    "InterleavedZeroBubble": "zero_bubble",
    "ZBVZeroBubble": "zbv",
    "DualPipeV": "dualpipev",
}
RESHARD = ("always", "never")
SPMD_BACKENDS = ("partial_dtensor", "full_dtensor")  # beside spmd_types, which is the default
CONVERTERS_OF = ("model_spec.converters", "model_converters.converters")  # of 0.3.0, and before it
QUANTIZERS = {
    "Float8LinearConverter": ("fp8", ""),
    "Float8GroupedExpertsConverter": ("fp8", "experts"),
    "MXFP8LinearConverter": ("mxfp8", ""),
    "MXFP8GroupedExpertsConverter": ("mxfp8", "experts"),
    "MXLinearConverter": ("mxfp8", ""),
}
OF_BACKEND = ("tp", "ep", "cp", "fsdp", "hsdp", "replicate")


@dataclass(frozen=True)
class Setting:
    value: object  # a constant, or the last name of what is called; None where it is neither
    line: int


@dataclass
class Configuration:
    settings: dict[str, Setting] = field(default_factory=dict)  # "parallelism.tensor_parallel_degree"
    notes: list[Note] = field(default_factory=list)

    def copy(self) -> Configuration:
        return Configuration(dict(self.settings), list(self.notes))

    def put(self, name: str, value: ast.expr) -> None:
        for held in [key for key in self.settings if key == name or key.startswith(name + ".")]:
            del self.settings[held]
        if isinstance(value, ast.Call):
            self.settings[name] = Setting(written(value.func), value.lineno)
            for keyword in value.keywords:
                if keyword.arg is not None:
                    self.put(f"{name}.{keyword.arg}" if name else keyword.arg, keyword.value)
        elif isinstance(value, (ast.List, ast.Tuple)):
            self.settings[name] = Setting(written(value), value.lineno)
        else:
            try:
                self.settings[name] = Setting(ast.literal_eval(value), value.lineno)
            except ValueError:
                self.settings[name] = Setting(None, value.lineno)


def is_registry(module: Module) -> bool:
    return module.parts[-1] == FILE


class Registry:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions = {node.name: node for node in module.tree.body if isinstance(node, ast.FunctionDef)}

    def configuration(self, name: str, depth: int = 0) -> Configuration | None:
        """What a function returns; None where that is no configuration."""
        node = self.functions.get(name)
        if node is None or depth > DEEPEST or len(node.args.args) > len(node.args.defaults):
            return None
        made: dict[str, Configuration] = {}
        notes: list[Note] = []
        for statement in node.body:
            if isinstance(statement, ast.Return):
                found = self._value(statement.value, made, depth)
                if found is not None:
                    found.notes += notes
                return found
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self._assign(statement.targets[0], statement.value, made, depth)
            elif any(isinstance(part, ast.Name) and part.id in made for part in ast.walk(statement)):
                text = written(statement)
                notes.append(
                    Note(
                        text,
                        self.module.path,
                        statement.lineno,
                        "what it does to the configuration is not followed",
                    )
                )
        return None

    def unread(self) -> list[Note]:
        """Functions that say that they return a configuration, and of which none was made out."""
        return [
            Note(name, self.module.path, node.lineno, "the configuration that it returns is not followed")
            for name, node in self.functions.items()
            if node.returns is not None
            and written(node.returns).strip("'").endswith(CONFIGURATIONS)
            and self.configuration(name) is None
        ]

    def _assign(self, target: ast.expr, value: ast.expr, made: dict[str, Configuration], depth: int) -> None:
        if isinstance(target, ast.Name):
            found = self._value(value, made, depth)
            if found is not None:
                made[target.id] = found
        elif isinstance(target, ast.Attribute):
            owner, _, name = written(target).partition(".")
            if owner in made:
                made[owner].put(name, value)

    def _value(
        self, node: ast.expr | None, made: dict[str, Configuration], depth: int
    ) -> Configuration | None:
        if isinstance(node, ast.Name):
            return made.get(node.id)
        if not isinstance(node, ast.Call):
            return None
        if isinstance(node.func, ast.Name):
            base = self.configuration(node.func.id, depth + 1)
            return base.copy() if base is not None else None
        if written(node.func).endswith(CONFIGURATIONS):
            found = Configuration()
            for keyword in node.keywords:
                if keyword.arg is not None:
                    found.put(keyword.arg, keyword.value)
            return found
        return None


@dataclass
class Stated:
    """The items of one configuration, in the order in which torchtitan applies them."""

    module: Module
    line: int
    made: Configuration
    items: list[tuple[Item, str]] = field(default_factory=list)  # with their degrees as written

    def add(
        self,
        name: str,
        key: str,
        degrees: str = "",
        mode: str = "",
        options: tuple[tuple[str, str], ...] = (),
        scope: str = "",
    ) -> None:
        setting = self.made.settings.get(key)
        line = setting.line if setting is not None else self.line
        self.items.append((Item(name, scope, self.module.path, line, key, mode, options), degrees))

    def note(self, key: str, why: str) -> None:
        line = self.made.settings[key].line if key in self.made.settings else self.line
        self.made.notes.append(Note(key, self.module.path, line, why))

    def degree(self, key: str, otherwise: int) -> int | None:
        setting = self.made.settings.get(key)
        if setting is None:
            return otherwise
        if isinstance(setting.value, int) and not isinstance(setting.value, bool):
            return setting.value
        self.note(key, "it is no constant: taken as switched off")
        return otherwise

    def value(self, key: str) -> object:
        setting = self.made.settings.get(key)
        return setting.value if setting is not None else None


def items_of(module: Module, line: int, made: Configuration) -> tuple[list[tuple[Item, str]], list[Note]]:
    stated = Stated(module, line, made)
    _converters(stated)
    for name, word in (("pp", "pipeline"), ("tp", "tensor"), ("ep", "expert"), ("cp", "context")):
        key = "parallelism.expert_parallel_degree" if name == "ep" else f"parallelism.{word}_parallel_degree"
        degree = stated.degree(key, 1)
        if degree is None or degree <= 1:
            continue
        schedule = (
            SCHEDULES.get(str(stated.value("parallelism.pipeline_parallel_schedule")), "")
            if name == "pp"
            else ""
        )
        stated.add(name, key, str(degree), options=((schedule, ""),) if schedule else ())
    _checkpointing(stated)
    components = stated.value("compile.components")  # all of them unless written
    if stated.value("compile.enable") is True and (components is None or "model" in str(components)):
        stated.add("compile", "compile.enable")
    _data_parallel(stated)
    return _with_backend(stated), stated.made.notes


def _converters(stated: Stated) -> None:
    key = next((key for key in CONVERTERS_OF if stated.value(key)), "")
    for name in dict.fromkeys(re.findall(r"\w*Converter\b", str(stated.value(key) or ""))):
        if name in QUANTIZERS:
            mode, scope = QUANTIZERS[name]
            stated.add("quantize", key, mode=mode, scope=scope)
        else:
            stated.note(key, f"no transform for {name}")


def _with_backend(stated: Stated) -> list[tuple[Item, str]]:
    """torchtitan 0.3.0: one for the job, which the first item that it concerns says."""
    backend = stated.value("parallelism.spmd_backend")
    if backend not in SPMD_BACKENDS:
        return stated.items
    first = next((i for i, (item, _) in enumerate(stated.items) if item.name in OF_BACKEND), None)
    return [
        (replace(item, options=(*item.options, ("spmd", str(backend)))) if i == first else item, degrees)
        for i, (item, degrees) in enumerate(stated.items)
    ]


def _checkpointing(stated: Stated) -> None:
    policy = stated.value("activation_checkpoint")
    if isinstance(policy, str) and policy.endswith(
        "AC.Config"
    ):  # the class of the policy, since torchtitan 0.3.0
        name = {"FullAC.Config": "ac", "SelectiveAC.Config": "sac"}.get(
            policy.rpartition(".")[0].rpartition(".")[2] + ".Config"
        )
        if name is not None:
            stated.add(name, "activation_checkpoint")
        else:
            stated.note("activation_checkpoint", "no transform for this policy")
        return
    key = "activation_checkpoint.mode"
    mode, option = stated.value(key), stated.value("activation_checkpoint.selective_ac_option")
    if mode == "full":
        stated.add("ac", key)
    elif mode == "selective" and option == "op":
        stated.add("sac", key)
    elif mode == "selective" and isinstance(option, str) and option.isdigit() and int(option) > 0:
        stated.add("ac", key, mode="selective", options=(("n", option),))
    elif mode == "selective":
        stated.note(key, "selective_ac_option is not written, and its default is of a release: taken for sac")
        stated.add("sac", key)
    elif key in stated.made.settings and mode != "none":
        stated.note(key, "no transform for it")


def _data_parallel(stated: Stated) -> None:
    shard_key, replicate_key = (
        "parallelism.data_parallel_shard_degree",
        "parallelism.data_parallel_replicate_degree",
    )
    shard, replicate = stated.degree(shard_key, -1), stated.degree(replicate_key, 1)
    reshard = stated.value("parallelism.fsdp_reshard_after_forward")
    options = (("reshard", str(reshard)),) if reshard in RESHARD else ()
    if shard == 1:
        if replicate is not None and replicate > 1:
            stated.add("replicate", replicate_key, str(replicate))
        return
    if replicate is not None and replicate > 1:
        stated.add(
            "hsdp",
            replicate_key,
            f"{replicate}x{shard}" if shard is not None and shard > 1 else "",
            options=options,
        )
        return
    # -1, which is the default, is as many ranks as are left.
    stated.add("fsdp", shard_key, str(shard) if shard is not None and shard > 1 else "", options=options)
