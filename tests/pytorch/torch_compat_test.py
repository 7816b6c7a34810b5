"""What depends on the release of PyTorch stands in torch_compat.py alone, and what a case may change in process_state.py."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import ordercheck_pytorch
import torch
from ordercheck_pytorch import process_state

PACKAGE = Path(ordercheck_pytorch.__file__).parent
# Of Python: there is no other way.
OF_PYTHON = {"os._exit", "sys._getframe", "sys._current_frames"}
# FakeTensorMode, which PyTorch documents (pytorch.org/docs/stable/torch.compiler_fake_tensor.html) and no public module has.
DOCUMENTED = {"torch._subclasses: _subclasses"}
# Modules that are imported for what they do.
ENTRIES = {"ordercheck_pytorch.__main__"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_names(source: str) -> list[str]:
    """Of others: in imports, as attributes, and as texts that name a module of torch or an attribute that is asked for."""
    tree = ast.parse(source)
    own = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    own |= {name for node in ast.walk(tree) for name in assigned_on_self(node)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            words = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            found += [f"{node.module}: {word}" for word in words if is_private(word)]
        elif isinstance(node, ast.Import):
            found += [a.name for a in node.names if any(map(is_private, a.name.split(".")))]
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            text = ast.unparse(node)
            if text not in OF_PYTHON and not text.startswith("torch.ops."):
                found.append(text)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
            found += [ast.unparse(node) for a in node.args[1:2] if is_private(str(getattr(a, "value", "")))]
        elif isinstance(node, ast.Constant) and str(node.value).startswith("torch._"):
            found.append(str(node.value))
    return found


def assigned_on_self(node: ast.AST) -> list[str]:
    """Attributes of the package's own classes."""
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls")
    ):
        return [node.attr]
    return []


def probes(source: str) -> list[str]:
    """Questions whether torch has something."""
    asked = [
        n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call) and ast.unparse(n.func) == "hasattr"
    ]
    # torch.ops.c10d has what its build has: an operator is looked up by its name there.
    of_torch = [n for n in asked if ast.unparse(n.args[0]).split(".")[0] in ("torch", "dist", "FSDPModule")]
    return [ast.unparse(n) for n in of_torch if not ast.unparse(n.args[0]).startswith("torch.ops.")]


def test_names_and_probes_are_seen() -> None:
    assert private_names("import torch._dynamo\nfrom torch.utils._pytree import _x\nx = a._b\n") == [
        "torch._dynamo",
        "torch.utils._pytree: _pytree",
        "torch.utils._pytree: _x",
        "a._b",
    ]
    assert private_names("class A:\n    def f(self):\n        self._a = 1\n        return other._a\n") == []
    assert private_names("getattr(a, '_b', None)\nimport_module('torch._inductor.x')\n") == [
        "getattr(a, '_b', None)",
        "torch._inductor.x",
    ]
    assert probes("hasattr(torch.library, 'get_kernel')") == ["hasattr(torch.library, 'get_kernel')"]
    assert probes("hasattr(torch.ops.c10d, name) or hasattr(found, part)") == []


def test_private_names_and_probes_of_torch_stand_in_one_file() -> None:
    """And in the process group of ours, which overrides what torch calls by private names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name in ("torch_compat.py", "staged_group.py"):
            continue
        source = path.read_text()
        found = {*private_names(source), *probes(source)} - DOCUMENTED
        assert found == set(), path.relative_to(PACKAGE)


def changeable(value: Any) -> bool:
    """Empty now, so that somebody will fill it, or an object that is made to be changed."""
    if isinstance(value, (list, dict, set)):
        return not value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return not type(value).__dataclass_params__.frozen  # type: ignore[attr-defined]
    return False


def test_globals_that_change_stand_in_one_file() -> None:
    modules = [
        info.name for info in pkgutil.walk_packages(ordercheck_pytorch.__path__, "ordercheck_pytorch.")
    ]
    allowed = {id(process_state.CASE_STATE), id(process_state.PROCESS)}
    for name in sorted({*modules} - ENTRIES):
        module = importlib.import_module(name)
        found = [n for n, value in vars(module).items() if changeable(value) and id(value) not in allowed]
        assert found == [], name
        tree = ast.parse(Path(module.__file__ or "").read_text())
        assert not any(isinstance(node, ast.Global) for node in ast.walk(tree)), name


def test_reset_sets_back_what_is_of_a_case_and_keeps_what_is_of_the_process() -> None:
    kept = dict(vars(process_state.PROCESS))
    process_state.CASE_STATE.range_used, process_state.CASE_STATE.refuses_draws = 0.5, True
    process_state.CASE_STATE.refused_operators.add("mine::sum")
    torch.set_default_dtype(torch.float64)
    process_state.reset()
    assert process_state.OfCase() == process_state.CASE_STATE
    assert torch.get_default_dtype() is torch.float32
    assert vars(process_state.PROCESS) == kept
