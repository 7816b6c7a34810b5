"""Records calls of PyTorch's functions in one process, in their order, and what the first step shows."""

from __future__ import annotations

import functools
import inspect
import os
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .describe import Described, mesh_of, mesh_of_group
from .first_step import FirstStep
from .functions import method_of, modules_of
from .hooks import Hooks
from .models import class_of, unwrapped
from .places import callers
from .targets import Arguments, Target


@dataclass
class Event:
    """One call on one module. `module` is weak: a recording keeps nothing alive."""

    site: int
    module: weakref.ref[Any] | None
    class_name: str
    within: int | None  # index of the recorded call that made this one
    raised: str = ""  # the class of the exception
    model: int | None = None  # number and name of the module, as of the last snapshot that found it
    name: str | None = None


@dataclass(eq=False)
class Call:
    """A recorded call that has not returned."""

    target: Target
    events: list[int] = field(default_factory=list)
    styles: set[int] = field(default_factory=set)  # ids of the ParallelStyles that reached a module
    plan: dict[str, Any] = field(default_factory=dict)


class Recorder:
    """Wrappers run in the thread of the job; `lock` guards what the writer's thread reads."""

    def __init__(self, on_event: Callable[[], None], on_step: Callable[[], None]) -> None:
        """on_event is called after each recorded call, on_step after the first step of an optimizer and when it is over."""
        self.lock = threading.RLock()
        self.sites: list[dict[str, Any]] = []
        self.events: list[Event] = []
        self.problems: list[str] = []  # errors of the recorder itself
        self.is_over = False  # the first step has been recorded
        self.step = FirstStep(self)
        self.hooks = Hooks(self._wrap, self._module_was_imported, self.guarded)
        self.first_step_ended = on_step
        self._on_event = on_event
        self._site_numbers: dict[str, int] = {}
        self._seen: set[tuple[int, int]] = set()  # (site, module) of calls in forward
        self._calls = threading.local()

    def start(self) -> None:
        self.hooks.install()

    def stop(self) -> None:
        self.hooks.remove()
        self.step.remove()
        self.is_over = True

    def end_of_first_step(self) -> None:
        self.is_over = True
        self.hooks.remove_in_forward()

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """An error of the recorder never ends the job."""
        try:
            yield
        except Exception as error:
            # Not its message, which may have values of the job.
            text = f"{what}: {type(error).__name__}{_own_line(error)}"
            if text not in self.problems and len(self.problems) < 20:
                self.problems.append(text)

    def _module_was_imported(self, module: ModuleType) -> None:
        if module.__name__ == "torch.optim.optimizer":
            with self.guarded("hooks of optimizers"):
                self.step.watch(module)

    def _wrap(self, target: Target, original: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(original)
        import torch

        @functools.wraps(original)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            # Dynamo evaluates is_compiling() while it traces, so that it traces the original alone.
            if torch.compiler.is_compiling() or (self.is_over and target.in_forward):
                return original(*args, **kwargs)
            call = None
            with self.guarded(target.call):
                arguments = signature.bind(*args, **kwargs)
                arguments.apply_defaults()
                call = self._begin(target, arguments.arguments)
                if call is not None and target.call == "checkpoint":
                    args, kwargs = self.step.count_recomputation(target, signature, args, kwargs)
            if call is None:
                return original(*args, **kwargs)
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                self._raised(call, error)
                raise
            finally:
                with self.guarded(target.call):
                    self._end(call)

        return recorded

    def _open_calls(self) -> list[Call]:
        if not hasattr(self._calls, "open"):
            self._calls.open = []
        calls: list[Call] = self._calls.open
        return calls

    def _begin(self, target: Target, arguments: Arguments) -> Call | None:
        """Records the call; None if it is part of another recorded call, or was recorded before."""
        opened = self._open_calls()
        if opened and target.call == opened[-1].target.call == "parallelize_module":
            style = arguments.get("parallelize_plan")
            if not isinstance(style, dict):
                opened[-1].styles.add(id(style))
            return None
        if opened and not target.keeps_nested:
            return None
        user, framework = callers()
        if user is None and framework is None:
            return None
        if target.call == "autocast" and not getattr(arguments["self"], "_enabled", True):
            return None
        modules = modules_of(target, arguments)
        if target.in_forward and target.call == "checkpoint" and modules and self.step.is_wrapped(modules[0]):
            return self._unrecorded(target)
        mesh = mesh_of(arguments.get(target.mesh_argument)) if target.mesh_argument else None
        if mesh is None and (target.mesh_argument or target.group_argument):
            mesh = mesh_of_group(arguments.get(target.group_argument))
        if target.call == "init_device_mesh":
            mesh = {
                "names": list(arguments.get("mesh_dim_names") or []),
                "sizes": [int(size) for size in arguments["mesh_shape"]],
            }
        options = target.options(arguments)
        if target.call == "checkpoint":
            options["function"] = method_of(arguments[target.module_argument])
        call = Call(target)
        if target.call == "parallelize_module" and isinstance(arguments.get("parallelize_plan"), dict):
            call.plan = dict(arguments["parallelize_plan"])
        with self.lock:
            site = self._site(target.call, user, framework, mesh, options)
            within = opened[-1].events[-1] if opened and opened[-1].events else None
            for module in modules or [None]:
                if target.in_forward or target.is_repeated:
                    key = (site, id(unwrapped(module)) if module is not None else 0)
                    if key in self._seen:
                        return self._unrecorded(target)
                    self._seen.add(key)
                call.events.append(len(self.events))
                self.events.append(
                    Event(
                        site,
                        None if module is None else weakref.ref(unwrapped(module)),
                        "" if module is None else class_of(module),
                        within,
                    )
                )
            self.step.note(target, arguments, call.events[-1])
        opened.append(call)
        self._on_event()
        return call

    def _unrecorded(self, target: Target) -> Call:
        call = Call(target)
        self._open_calls().append(call)
        return call

    def _site(
        self, name: str, user: Any, framework: Any, mesh: dict[str, Any] | None, options: dict[str, Described]
    ) -> int:
        site = {"call": name, "user": user, "framework": framework, "mesh": mesh, "options": options}
        key = repr(site)
        if key not in self._site_numbers:
            self._site_numbers[key] = len(self.sites)
            self.sites.append(site)
        return self._site_numbers[key]

    def _raised(self, call: Call, error: BaseException) -> None:
        for index in call.events:
            self.events[index].raised = type(error).__name__

    def _end(self, call: Call) -> None:
        self._open_calls().remove(call)
        missed = sorted(path for path, style in call.plan.items() if path and id(style) not in call.styles)
        if not missed or not call.events:
            return
        with self.lock:
            site = dict(self.sites[self.events[call.events[0]].site])
            site["options"] = {**site["options"], "missed": missed}
            number = self._site(*site.values())
            for index in call.events:
                self.events[index].site = number


def _own_line(error: Exception) -> str:
    """The line of the recorder from which the error came: " at snapshot.py:90"."""
    frames = [
        one for one in traceback.extract_tb(error.__traceback__) if "ordercheck_recorder" in one.filename
    ]
    return f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
