"""Functions of the caller's, as ranks look them up: by the module that holds them and their name in it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

# "package.module:function", or the function itself.
Function = str | Callable[..., object]


def name_of(function: Function) -> tuple[str, Path | None]:
    """The name, and the folder that a rank needs on its path to import it; none for a name that was given as text."""
    if isinstance(function, str):
        return function, None
    if not callable(function) or not hasattr(function, "__qualname__"):
        raise TypeError(
            f"expected a function or 'package.module:function', got {type(function).__name__}: {function!r}"
        )
    name, module = function.__qualname__, function.__module__
    if "<" in name:
        raise TypeError(
            f"{name} stands within a function: ranks import what they run, so it has to stand in a module"
        )
    written = getattr(sys.modules.get(module), "__file__", None)
    if written is None:
        raise TypeError(
            f"{name} stands in no file: ranks import what they run, so it has to stand in a module"
        )
    file = Path(written).resolve()
    if module == "__main__":
        return f"{file.stem}:{name}", file.parent
    depth = module.count(".") + (file.name == "__init__.py")
    return f"{module}:{name}", file.parents[depth]
