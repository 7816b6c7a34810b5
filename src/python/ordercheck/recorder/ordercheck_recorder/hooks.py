"""Puts wrappers in the place of the recorded functions, as soon as the module that defines them has been imported."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import FunctionType, ModuleType
from typing import Any

from .targets import TARGETS, Target

# Makes the wrapper of a function.
Wrap = Callable[[Target, Callable[..., Any]], Callable[..., Any]]


class Hooks(importlib.abc.MetaPathFinder):
    """Not thread-safe by itself: importlib holds the lock of the module that is being imported."""

    def __init__(
        self,
        wrap: Wrap,
        on_import: Callable[[ModuleType], None],
        guarded: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._wrap = wrap
        self._on_import = on_import
        self._guarded = guarded
        self._targets: dict[str, list[Target]] = {}
        for target in TARGETS:
            for module in target.modules:
                self._targets.setdefault(module, []).append(target)
        self._replaced: list[tuple[Any, str, Any, Any, Target]] = []  # holder, attribute, original, wrapper
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
            # A loader may be shared by modules, such as that of a zip file.
            with contextlib.suppress(AttributeError):
                del loader.exec_module
            original(module)
            self._replace_in(module)

        with contextlib.suppress(AttributeError):  # a loader without a __dict__
            loader.exec_module = exec_module

    def _replace_in(self, module: ModuleType) -> None:
        for target in self._targets.get(module.__name__, ()):
            with self._guarded(target.call):
                self._replace(target, module)
        with self._guarded(module.__name__):
            self._on_import(module)

    def _replace(self, target: Target, module: ModuleType) -> None:
        holder: Any = module
        *path, name = target.attribute.split(".")
        for step in path:
            holder = getattr(holder, step, None)
        written = vars(holder).get(name) if holder is not None else None
        if written is None:
            return
        original = written.__func__ if isinstance(written, staticmethod) else written
        wrapper: Any = self._wrap(target, original)
        if isinstance(written, staticmethod):
            wrapper = staticmethod(wrapper)
        setattr(holder, name, wrapper)
        self._replaced.append((holder, name, written, wrapper, target))
        self.wrapped.add(target)

    def _rebind_everywhere(self) -> None:
        """Replaces the functions in modules that imported them before, whatever they call them."""
        self._exchange(
            {id(original): (wrapper, target) for _, _, original, wrapper, target in self._replaced}
        )

    def _exchange(self, replacements: dict[int, tuple[Any, Target]]) -> None:
        for module in list(sys.modules.values()):
            if not isinstance(module, ModuleType):
                continue
            for name, value in list(vars(module).items()):
                if id(value) in replacements and isinstance(value, FunctionType):
                    setattr(module, name, replacements[id(value)][0])

    def _restore(self, is_meant: Callable[[Target], bool]) -> None:
        """Leaves what somebody else has put in the place of a wrapper."""
        gone = [row for row in self._replaced if is_meant(row[4])]
        for holder, name, original, wrapper, _ in reversed(gone):
            if vars(holder).get(name) is wrapper:
                setattr(holder, name, original)
        self._exchange({id(wrapper): (original, target) for _, _, original, wrapper, target in gone})
        self._replaced = [row for row in self._replaced if not is_meant(row[4])]
