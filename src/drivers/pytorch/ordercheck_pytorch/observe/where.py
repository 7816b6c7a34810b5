"""Where in a model and a step something happened, told by the frames on the stack."""

from __future__ import annotations

import sys
from types import FrameType

from torch import nn

from .wording import first_line

# Children that wrappers add on the way to a module, and no part of its path in the model. A model may have a child called
# "module" too: `add` knows the paths of the modules that it was built with.
_WRAPPERS = ("_checkpoint_wrapped_module", "_orig_mod", "_fsdp_wrapped_module", "module")

# Functions that run a recomputation: when a saved tensor is asked for, and that of a reentrant checkpoint.
_RECOMPUTING = ("unpack_hook", "backward")


def clean(path: str) -> str:
    return ".".join(part for part in path.split(".") if part not in _WRAPPERS)


class ModuleNames:
    """Paths of modules by identity, of every form that the model had."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._models: list[nn.Module] = []  # so that no identity is used again

    def add(self, model: nn.Module) -> None:
        built = not self._models
        self._models.append(model)
        for path, module in model.named_modules():
            self._names.setdefault(id(module), path if built else clean(path))

    def of(self, frame: FrameType) -> str:
        """The module whose method this frame runs, or ""."""
        owner = frame.f_locals.get("self")
        return self._names.get(id(owner), "") if isinstance(owner, nn.Module) else ""

    def of_error(self, error: BaseException) -> str:
        """The innermost module that the error came through, or ""."""
        found = ""
        for frame in frames_of(error):
            found = self.of(frame) or found
        return found

    def of_stack(self, frame: FrameType | None) -> str:
        """The innermost module that is at work below this frame, or ""."""
        while frame is not None:
            if name := self.of(frame):
                return name
            frame = frame.f_back
        return ""


def frames_of(error: BaseException) -> list[FrameType]:
    """From the outermost in, and on through what it was raised from."""
    frames, entry = [], error.__traceback__
    while entry is not None:
        frames.append(entry.tb_frame)
        entry = entry.tb_next
    return frames + (frames_of(error.__cause__) if error.__cause__ is not None else [])


def _phase_in(frame: FrameType) -> str:
    code = frame.f_code
    if code.co_filename.endswith("torch/utils/checkpoint.py") and code.co_name in _RECOMPUTING:
        return "recompute"
    return "backward" if code.co_name == "_engine_run_backward" else ""


def phase_of_error(error: BaseException, begun: str) -> str:
    """backward or recompute where the error came through one, else the phase that had begun."""
    for frame in reversed(frames_of(error)):
        if phase := _phase_in(frame):
            return phase
    return begun


def phase_inside_backward() -> str:
    """Of a caller that autograd runs: recompute where a checkpoint asked for it, else backward."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if phase := _phase_in(frame):
            return phase
        frame = frame.f_back
    return "backward"


def message_of(error: BaseException) -> str:
    """Type and first line, and those of what it was raised from: a pipeline's stage and Dynamo tell of another's failure."""
    said, root = _error_in_words(error), error
    while root.__cause__ is not None:
        root = root.__cause__
    return (
        said
        if _error_in_words(root) in said or first_line(str(root)) in said
        else f"{said} (from {_error_in_words(root)})"
    )


def _error_in_words(error: BaseException) -> str:
    line = first_line(str(error))
    return f"{type(error).__name__}: {line}" if line else type(error).__name__
