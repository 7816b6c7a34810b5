"""A user's own model and parallelize function, named "package.module:name".

The model takes tokens [batch, 24] int64 below 120 and gives logits [batch, 24, classes] with at least 120 classes, or
something that has them as `logits`, whole on every rank (on the last stage's, in a pipeline); with inputs and a loss of its
own (task.py) what it likes. Floats among its parameters and buffers are float64 in exact arithmetic, complex numbers
complex128 (cast.py). `factory()` takes nothing. Its values stay as it draws them, from torch's seed, which is the case's.
`function(model, mesh)` gets the DeviceMesh of the stack's axes (None on one rank) and returns the model, or nothing where
it changed the one it was given.
Gradients are to be averaged over data-parallel ranks, as DistributedDataParallel and fully_shard do unless they are told
otherwise. What else a function may say of itself: users_function.py."""

from __future__ import annotations

import difflib
import importlib
import inspect
import random
import sys
import sysconfig
import traceback
from typing import Any

import torch
from torch import nn

from ..program.exact.kernels import Unsupported

_LIBRARIES = tuple(sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib"))


def look_up_function(name: str, arguments: tuple[str, ...]) -> Any:
    """What is called with positional arguments of these names; raises as look_up does where it cannot be."""
    found = look_up(name)
    _check_takes(found, name, arguments)
    return found


def look_up(name: str) -> Any:
    """Raises Unsupported for what was named wrongly or cannot be imported: no stack was run, so none has failed."""
    module, _, attribute = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except Unsupported:
        raise
    except BaseException as error:  # SystemExit too: a script without a guard around its main
        if isinstance(error, ModuleNotFoundError) and (module + ".").startswith(f"{error.name}."):
            raise Unsupported(
                f"{name}: no module named '{error.name}' in the working directory or installed"
            ) from error
        raise Unsupported(f"{name}: importing {module} raised {_error_in_words(error)}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise Unsupported(f"{name}: {_named(found)} has no '{part}'{_near(part, found)}")
        found = getattr(found, part)
    return found


def make_user_model(name: str, seed: int) -> nn.Module:
    """With the values that its factory gives it, drawn under the seed: another seed is another model."""
    factory = look_up_function(name, ())
    seed_generators(seed)
    try:
        model = factory()
    except Unsupported:
        raise
    except Exception as error:
        raise Unsupported(f"{name}() raised {_error_in_words(error)}") from error
    if not isinstance(model, nn.Module):
        raise Unsupported(f"{name} returned {type(model).__name__}; expected an nn.Module")
    return model


def check_has_blocks(model: nn.Module, name: str) -> None:
    """What this engine's own transforms look for; a user's function knows where to find what it is applied to."""
    if not isinstance(getattr(model, "layers", None), nn.ModuleDict):
        raise Unsupported(
            f"{name} has no `layers`, an nn.ModuleDict of blocks, which this engine's transforms are applied to; "
            "name a function of your own with --apply"
        )


def _check_takes(found: Any, name: str, arguments: tuple[str, ...]) -> None:
    expected = f"expected a function of ({', '.join(arguments)})"
    if not callable(found):
        raise Unsupported(f"{name} is of type {type(found).__name__}; {expected}")
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):  # of what is written in C nothing is known
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        raise Unsupported(f"{name} takes {signature}; {expected}") from None


def _error_in_words(error: BaseException) -> str:
    """With the line of the user's file that raised it."""
    line = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {line[0]}" if line else type(error).__name__
    if isinstance(error, SyntaxError):
        return text
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<frozen") and frame.filename != __file__
    ]
    # A library raises for what the user's line handed it.
    users = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]
    where = (users or frames)[-1:]
    return text + "".join(f" ({frame.filename}:{frame.lineno})" for frame in where)


def _named(found: Any) -> str:
    file = getattr(found, "__file__", None)
    return f"{getattr(found, '__name__', type(found).__name__)}{f' ({file})' if file else ''}"


def _near(part: str, found: Any) -> str:
    near = difflib.get_close_matches(part, [name for name in dir(found) if not name.startswith("_")], n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def seed_generators(seed: int) -> None:
    """Those that a factory may draw from."""
    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
