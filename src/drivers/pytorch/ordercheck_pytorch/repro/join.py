"""Joins files of a package into one: their imports of each other go, those of other packages are gathered at the top."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path


def joined(parts: Sequence[Path | str]) -> tuple[str, list[str]]:
    """The imports, and the bodies, which one after another make one file. A part that is text is taken as it is."""
    imports: set[str] = set()
    bodies: list[str] = []
    defined: dict[str, str] = {}
    for part in parts:
        if isinstance(part, str):
            bodies.append(part.strip())
            continue
        file = taken_apart(part)
        for name in file.defines:
            if name in defined:
                raise ValueError(f"{part.name} and {defined[name]} both define {name}")
            defined[name] = part.name
        imports.update(file.imports)
        bodies.append(file.body)
    future = "from __future__ import annotations"
    imports.discard(future)
    spaced = [f"{body}\n\n\n" for body in bodies[:-1]] + [f"{body}\n" for body in bodies[-1:]]
    return "\n".join([future, "", *sorted(imports)]), spaced


@dataclass(frozen=True)
class PackageFile:
    """A file of the package without its imports of it. Its docstring is a comment."""

    defines: tuple[str, ...]
    imports: tuple[str, ...]  # of other packages
    body: str


@cache
def taken_apart(path: Path) -> PackageFile:
    source = path.read_text()
    tree = ast.parse(source)
    lines = source.splitlines()
    kept = [True] * len(lines)
    imports = []
    for node in tree.body:
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        is_docstring = node is tree.body[0] and isinstance(node, ast.Expr)
        if not is_import and not is_docstring:
            continue
        for number in range(node.lineno - 1, node.end_lineno or node.lineno):
            kept[number] = False
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.level == 0):
            imports.append(ast.unparse(node))
    text = "\n".join(line for line, keep in zip(lines, kept, strict=True) if keep).strip()
    docstring = ast.get_docstring(tree)
    comment = "".join(f"# {line}".rstrip() + "\n" for line in (docstring or "").splitlines())
    return PackageFile(tuple(names_defined(tree)), tuple(imports), f"{comment}{text}")


def names_defined(tree: ast.Module) -> list[str]:
    """At the top level: functions, classes, and what is assigned."""
    names = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return names
