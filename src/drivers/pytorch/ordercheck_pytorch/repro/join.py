"""Joins files of a package into one: their imports of each other go, those of other packages are gathered at the top."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path


def joined(parts: Sequence[Path | str]) -> tuple[str, str]:
    """The imports, and the bodies one after another. A part that is text is taken as it is."""
    imports: set[str] = set()
    bodies: list[str] = []
    defined: dict[str, str] = {}
    for part in parts:
        if isinstance(part, str):
            bodies.append(part.strip())
            continue
        source = part.read_text()
        tree = ast.parse(source)
        lines = source.splitlines()
        for name in names_defined(tree):
            if name in defined:
                raise ValueError(f"{part.name} and {defined[name]} both define {name}")
            defined[name] = part.name
        kept = [True] * len(lines)
        for node in tree.body:
            is_import = isinstance(node, (ast.Import, ast.ImportFrom))
            is_docstring = node is tree.body[0] and isinstance(node, ast.Expr)
            if not is_import and not is_docstring:
                continue
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                kept[number] = False
            if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.level == 0):
                imports.add(ast.unparse(node))
        text = "\n".join(line for line, keep in zip(lines, kept, strict=True) if keep).strip()
        docstring = ast.get_docstring(tree)
        comment = "".join(f"# {line}".rstrip() + "\n" for line in (docstring or "").splitlines())
        bodies.append(f"{comment}{text}" if comment else text)
    future = "from __future__ import annotations"
    imports.discard(future)
    return "\n".join([future, "", *sorted(imports)]), "\n\n\n".join(bodies) + "\n"


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
