"""Files of the package, each behind those that it imports."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path


def with_imports(root: Path, instead: Mapping[Path, Sequence[Path]]) -> list[Path]:
    """The file and all that it needs. What `instead` has of a file counts as its imports."""
    order: dict[Path, None] = {}

    def visit(path: Path) -> None:
        if path in order:
            return
        for needed in instead.get(path) or imported_by(path):
            visit(needed)
        order[path] = None

    visit(root)
    return list(order)


@cache
def imported_by(path: Path) -> tuple[Path, ...]:
    """At its top level, in the order in which they are written."""
    found: list[Path] = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            as_file = folder.with_suffix(".py")
            found += [as_file] if as_file.exists() else [folder / f"{name.name}.py" for name in node.names]
    return tuple(found)
