"""Puts wrappers in the place of the recorded functions, as soon as the module that defines them has been imported."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any

from .targets import TARGETS, Target

# Makes the wrapper of a function.
Wrap = Callable[[Target, Callable[..., Any]], Callable[..., Any]]


class Hooks(importlib.abc.MetaPathFinder):
    """Not thread-safe by itself: importlib holds the lock of the module that is being imported."""

    def __init__(self, wrap: Wrap, on_import: Callable[[ModuleType], None]) -> None:
        self._wrap = wrap
        self._on_import = on_import
        self._targets: dict[str, list[Target]] = {}
        for target in TARGETS:
            for module in target.modules:
                self._targets.setdefault(module, []).append(target)
        self._replaced: list[tuple[Any, str, Any, Target]] = []  # holder, attribute, original
        self.wrapped: set[Target] = set()

    def install(self) -> None:
        for name in self._targets:
            module = sys.modules.get(name)
            if module is not None and not getattr(module.__spec__, "_initializing", False):
                self._replace_in(module)
        self._rebind_everywhere()
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self._restore(lambda target: True)

    def remove_in_forward(self) -> None:
        """Restores the functions that every step calls."""
        self._restore(lambda target: target.in_forward)

    def absent(self) -> list[str]:
        """What the imported release of torch does not define."""
        found = {target.call for target in self.wrapped}
        return sorted(
            {
                f"{target.modules[0]}.{target.attribute}"
                for target in TARGETS
                if not target.is_optional
                and target.call not in found
                and any(m in sys.modules for m in target.modules)
            }
        )

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self._targets:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    self._run_after(spec.loader)
                return spec
        return None

    def _run_after(self, loader: Any) -> None:
        """Has the loader wrap the module's functions after it has run the module. The loader stays of its class: inspect and
        pkgutil ask for that."""
        original = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            original(module)
            self._replace_in(module)

        loader.exec_module = exec_module

    def _replace_in(self, module: ModuleType) -> None:
        for target in self._targets[module.__name__]:
            holder: Any = module
            *path, name = target.attribute.split(".")
            for step in path:
                holder = getattr(holder, step, None)
            written = vars(holder).get(name) if holder is not None else None
            if written is None:
                continue
            original = written.__func__ if isinstance(written, staticmethod) else written
            wrapper: Any = self._wrap(target, original)
            if isinstance(written, staticmethod):
                wrapper = staticmethod(wrapper)
            setattr(holder, name, wrapper)
            self._replaced.append((holder, name, written, target))
            self.wrapped.add(target)
        self._on_import(module)

    def _rebind_everywhere(self) -> None:
        """Replaces the functions in modules that imported them before, whatever they call them."""
        replaced = {
            id(original): (getattr(holder, name), original, target)
            for holder, name, original, target in self._replaced
        }
        for module in list(sys.modules.values()):
            if not isinstance(module, ModuleType):
                continue
            for name, value in list(vars(module).items()):
                if id(value) in replaced and isinstance(value, FunctionType):
                    wrapper, original, target = replaced[id(value)]
                    setattr(module, name, wrapper)
                    self._replaced.append((module, name, original, target))

    def _restore(self, is_meant: Callable[[Target], bool]) -> None:
        kept = []
        for holder, name, original, target in reversed(self._replaced):
            if is_meant(target):
                setattr(holder, name, original)
            else:
                kept.append((holder, name, original, target))
        self._replaced = kept[::-1]
