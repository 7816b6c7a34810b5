"""Code that asks for float32, given float64: exact arithmetic is float64, and norms, rotary tables and softmax of
published models compute in float32 by name. Of the packages that are named, when they are imported: torch.float32 and
torch.float become torch.float64, x.float() becomes x.double(), dtype="float32" becomes dtype="float64". Files are not
changed. What names no dtype gets the default one, which is float64 then."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

from ..process_state import PROCESS


class _Float64(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if (
            isinstance(node.value, ast.Name)
            and node.value.id == "torch"
            and node.attr in ("float32", "float")
        ):
            return ast.copy_location(ast.Attribute(node.value, "float64", node.ctx), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        if (
            isinstance(function, ast.Attribute)
            and function.attr == "float"
            and not node.args
            and not node.keywords
        ):
            function.attr = "double"
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        if node.arg == "dtype" and isinstance(node.value, ast.Constant) and node.value.value == "float32":
            node.value = ast.copy_location(ast.Constant("float64"), node.value)
        return node


def widened_code(source: str, path: str) -> CodeType:
    tree = ast.fix_missing_locations(_Float64().visit(ast.parse(source, path)))
    return compile(tree, path, "exec", dont_inherit=True)


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        """Never from a .pyc: that is of the file as it is."""
        path = self.get_filename(fullname)
        return widened_code(self.get_source(fullname) or "", path)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, packages: Sequence[str]) -> None:
        self.packages = packages

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if not any(fullname == package or fullname.startswith(package + ".") for package in self.packages):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return spec
        spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def widen(packages: Sequence[str]) -> None:
    """From now on in this process. Raises ImportError where one was imported already: what it computes is fixed."""
    for package in packages:
        if package in PROCESS.widened:
            continue
        if package in sys.modules:
            raise ImportError(f"{package} cannot be widened: it was imported before it was to be")
        sys.meta_path.insert(0, _Finder([package]))
        PROCESS.widened.add(package)
