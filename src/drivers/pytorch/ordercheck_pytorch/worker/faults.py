"""Faults that a run asks for, to show that the supervisor sees them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

# Those that fire where a rank enters a module or a phase, and those that fire at a collective.
AT_A_PLACE = ("crash", "hang", "throw", "slow", "exit", "kill")
AT_A_COLLECTIVE = ("skip_collective", "wrong_shape")
# Answered before any rank is asked.
OF_THE_FRONT = ("nonsense",)


@dataclass(frozen=True)
class Fault:
    kind: str
    rank: int
    module: str
    phase: str
    sequence: int


def commit(fault: Fault) -> None:
    if fault.kind == "crash":
        ctypes.string_at(0)  # a read of address 0: a real SIGSEGV, inside a library
    if fault.kind == "exit":
        os._exit(3)
    if fault.kind == "kill":  # as an out-of-memory killer does it
        os.kill(os.getpid(), signal.SIGKILL)
    if fault.kind == "throw":
        raise RuntimeError(f"asked to throw in {fault.module or fault.phase}")
    if fault.kind == "slow":
        time.sleep(2)
    while fault.kind == "hang":
        time.sleep(3600)


def lengthened(tensor: torch.Tensor) -> torch.Tensor:
    """As an input of the wrong shape: one more row than it should have."""
    rows = tensor if tensor.dim() > 0 else tensor.reshape(1)
    return torch.cat([rows, rows[-1:]])


def hook(model: nn.Module, fault: Fault, fire: Callable[[], None]) -> None:
    """Has `fire` called whenever the fault's module is entered, forwards or backwards."""
    module = dict(model.named_modules()).get(fault.module)
    if module is None:
        raise LookupError(f"fault {fault.kind}: the model has no module '{fault.module}'")
    if fault.phase != "backward":
        module.register_forward_pre_hook(lambda _module, _inputs: fire())
        return

    def on_output(_module: nn.Module, _inputs: Any, output: Any) -> None:
        for tensor in output if isinstance(output, (list, tuple)) else [output]:
            if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
                tensor.register_hook(lambda _gradient: fire())

    module.register_forward_hook(on_output)
