"""What the first optimizer step shows: gradients that are missing, recomputed modules, and the parameters of optimizers."""

from __future__ import annotations

import functools
import inspect
import weakref
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .functions import module_in
from .models import unwrapped

if TYPE_CHECKING:
    from .recorder import Recorder
    from .targets import Arguments, Target


class FirstStep:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._handles: list[Any] = []
        self._wrapped: weakref.WeakSet[Any] = weakref.WeakSet()  # modules within a CheckpointWrapper
        self.optimizers: list[tuple[int, weakref.ref[Any]]] = []  # index of the event
        self.without_gradient: set[int] = set()  # ids of parameters
        self.recomputed: weakref.WeakSet[Any] = weakref.WeakSet()
        self.checkpointed: weakref.WeakSet[Any] = weakref.WeakSet()
        self.stepped: weakref.WeakSet[Any] = weakref.WeakSet()
        self.is_done = False  # an optimizer has stepped

    def watch(self, module: ModuleType) -> None:
        """Calls back before and after every step, until the first step ends."""
        self._handles = [
            module.register_optimizer_step_pre_hook(self._before_step),
            module.register_optimizer_step_post_hook(self._after_step),
        ]

    def remove(self) -> None:
        """Not from within a hook: torch iterates over them while it calls one."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def note(self, target: Target, arguments: Arguments, index: int) -> None:
        if target.call == "optimizer":
            self.optimizers.append((index, weakref.ref(arguments["self"])))
        elif target.call == "checkpoint_wrapper":
            self._wrapped.add(unwrapped(arguments["mod"]))

    def is_wrapped(self, module: Any) -> bool:
        return unwrapped(module) in self._wrapped

    def count_recomputation(
        self, target: Target, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with a function that says when backward runs it again."""
        given = signature.bind(*args, **kwargs)
        function = given.arguments[target.module_argument]
        module = module_in(function)
        if module is None:
            return args, kwargs
        inner = unwrapped(module)
        self.checkpointed.add(inner)
        held, recomputed = weakref.ref(inner), self.recomputed
        # The reentrant implementation calls its function in forward too, without gradients.
        needs_gradients = target.module_argument == "run_function"

        @functools.wraps(function if hasattr(function, "__name__") else type(function).__call__)
        def counted(*inputs: Any, **options: Any) -> Any:
            import torch

            if (not needs_gradients or torch.is_grad_enabled()) and (one := held()) is not None:
                recomputed.add(one)
            return function(*inputs, **options)

        given.arguments[target.module_argument] = counted
        return given.args, given.kwargs

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        # Dynamo evaluates is_compiling() while it traces a compiled step.
        import torch

        if torch.compiler.is_compiling() or self._recorder.is_over:
            return
        with self._recorder.guarded("optimizer step"):
            if optimizer in self.stepped:
                self._recorder.end_of_first_step()
                self._recorder.first_step_ended()
            elif not _has_closure(args, kwargs):
                self._look_for_gradients(optimizer)

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        import torch

        if torch.compiler.is_compiling() or self._recorder.is_over or optimizer in self.stepped:
            return
        with self._recorder.guarded("optimizer step"):
            if _has_closure(args, kwargs):
                self._look_for_gradients(optimizer)
            self.stepped.add(optimizer)
            if not self.is_done:
                self.is_done = True
                self._recorder.first_step_ended()

    def _look_for_gradients(self, optimizer: Any) -> None:
        self.without_gradient |= {
            id(parameter)
            for group in optimizer.param_groups
            for parameter in group["params"]
            if parameter.requires_grad and parameter.grad is None
        }


def _has_closure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the step computes the gradients itself. `args` begins with the optimizer."""
    return any(callable(one) for one in args[1:]) or kwargs.get("closure") is not None
