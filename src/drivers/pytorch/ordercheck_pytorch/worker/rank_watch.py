"""Watches one rank through one case: where it is, what it sends, and where a fault is due.

Nothing here may change a number or an order: no hook on a module (a compiler would trace it), no dispatch mode (Dynamo skips
frames under one). So places are told by frames that are on the stack anyway, and collectives by a kernel that passes
them on (observe/collectives.py). A hook is set only where a fault was asked for, which has its own record.

Threads: the rank's own tells phases, and on CUDA autograd's issue collectives too; the ticker looks on. What they share changes
under `_turn`."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ..observe.collectives import MESSAGES, REDUCTIONS, Call, listen, work_of
from ..observe.compiled_share import NOT_MEASURED
from ..observe.graphs import break_reasons, graph_counters
from ..observe.groups import GroupNames
from ..observe.operators import OperatorMeter
from ..observe.where import ModuleNames, phase_inside_backward
from ..torch_compat import in_backward
from . import faults
from .faults import Fault
from .flight import FlightRecorder
from .report import CollectiveCount

# How long a finished collective may still stand in the flight file, which is read when a clock ran out.
_TICK_SECONDS = 0.05
# How long a rank must have done nothing that is watched before its frames are looked at. Another thread's frames are not
# safe to look into while Dynamo swaps them: a rank that does something is left alone.
_STILL_SECONDS = 20.0


@dataclass
class _Pending:
    """A collective that was issued. Nothing to ask about its end yet: it is being issued."""

    phase: str
    operation: str
    group: str
    sequence: int
    shape: str
    ended: Callable[[], Any] | None = None

    def is_done(self) -> bool:
        return self.ended is not None and bool(self.ended())


class RankWatch:
    """The Watch of a rank program, and the listener of its collectives."""

    def __init__(
        self,
        flight: FlightRecorder,
        groups: GroupNames,
        fault: Fault | None,
        tell_step: Callable[[int], None],
        meter: OperatorMeter | None,
        is_exact: bool = False,
    ) -> None:
        self.names = ModuleNames()
        self.begun = "build"
        self._flight = flight
        self._groups = groups
        self._fault = fault
        self._tell_step = tell_step
        self._meter = meter
        self._is_exact = is_exact
        self._step = 0
        self._counts: Counter[tuple[str, str, str]] = Counter()  # by kind, group and phase
        self._bytes: Counter[tuple[str, str, str]] = Counter()
        self._messages: Counter[int] = Counter()  # by step
        # Two ways to number a collective. Ranks of a group agree about the first, so that a hang can be read across ranks; a
        # fault names the second, which needs no group to be known beforehand.
        self._numbers: Counter[str] = Counter()  # collectives so far, by group
        self._issued = 0  # on any group, barriers left out
        self._done = 0  # phases and collectives so far
        self._pending: list[_Pending] = []
        self._failed: tuple[_Pending, BaseException] | None = None
        self._turn = threading.RLock()
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._look, args=(threading.get_ident(),), daemon=True)

    # What the program tells.

    def phase(self, step: int, phase: str) -> None:
        self._step, self.begun = step, phase
        self._done += 1
        if self._meter:
            self._meter.phase(phase)
        with self._turn:
            self._settle()
            self._flight.at_step(step, phase)
        fault = self._fault
        if (
            fault
            and fault.kind in faults.AT_A_PLACE
            and fault.phase == phase
            and phase not in _PHASES_OF_MODULES
        ):
            self._fire()

    def model_built(self, model: nn.Module) -> None:
        self.names.add(model)
        fault = self._fault
        if fault and fault.kind in faults.AT_A_PLACE and fault.phase in _PHASES_OF_MODULES:
            faults.hook(model, fault, self._at_module)

    def applied(self, model: nn.Module) -> None:
        self.names.add(model)

    def training(self, step: int, last: bool) -> contextlib.AbstractContextManager[None]:
        return self._meter.training(last) if self._meter else contextlib.nullcontext()

    def step_done(self, step: int) -> None:
        self._tell_step(step)

    # What it sends.

    def collective(self, call: Call) -> Any:
        self._done += 1
        if self._is_exact:
            check_reduces_float64(call)
        phase, group = self.phase_now(), self._groups.of(call.group)
        pending = _Pending(phase, call.kind, group, self._numbers[group], call.shape)
        number = -1
        with self._turn:
            self._settle()
            self._numbers[group] += 1
            if call.kind != "barrier":
                number = self._issued
                self._issued += 1
                key = (call.kind, group, phase)
                self._counts[key] += 1
                self._bytes[key] += call.bytes
                self._messages[self._step] += call.kind in MESSAGES
            if self._due(number, "skip_collective"):
                return call.skip()
            # In the flight file before it is issued: a rank that waits in the call, or dies of it, can write no more.
            self._pending.append(pending)
            self._show()
        try:
            result = call.issue_with(faults.lengthened) if self._due(number, "wrong_shape") else call.issue()
        except BaseException as error:
            self._failed = (pending, error)
            self._forget(pending)
            raise
        work = work_of(result)
        if work is not None:
            pending.ended = asked_without_its_lock(work)
        else:  # the call waited for it
            self._forget(pending)
        return result

    def _forget(self, pending: _Pending) -> None:
        """Else it would be shown as what the rank waits for until the case ends."""
        with self._turn:
            self._pending = [each for each in self._pending if each is not pending]
            self._show()

    def _due(self, number: int, kind: str) -> bool:
        return self._fault is not None and self._fault.kind == kind and self._fault.sequence == number

    # What was seen.

    def __enter__(self) -> RankWatch:
        self._ticker.start()
        listen(self)
        return self

    def __exit__(self, *_: object) -> None:
        listen(None)
        self._over.set()
        self._ticker.join()

    def phase_now(self) -> str:
        # What the program began is not enough: autograd runs hooks and recomputations within its own phase, and a pipeline's
        # schedule runs forward and backward by turns.
        return phase_inside_backward() if in_backward() else self.begun

    def collectives(self) -> list[CollectiveCount]:
        return sorted(
            (
                CollectiveCount(*key, count=count, bytes=self._bytes[key])
                for key, count in self._counts.items()
            ),
            key=lambda c: (c.kind, c.group, c.phase),
        )

    def counters(self) -> dict[str, int]:
        """By their names in a record."""
        counters = graph_counters()
        if self._meter:
            counters |= self._meter.counters()
            if self._numbers:  # what a backend's threads let go of, and when, is not seen from this one
                counters["saved_bytes_peak"] = NOT_MEASURED
        return counters

    def notes(self) -> list[str]:
        return break_reasons() + (self._meter.notes() if self._meter else [])

    def messages_of_last_step(self) -> int:
        return self._messages[self._step]

    def failed_in(self, error: BaseException) -> _Pending | None:
        """The collective that raised `error`, or what `error` was raised from. A program may catch an earlier one."""
        while self._failed and error is not self._failed[1]:
            cause = error.__cause__ or error.__context__
            if cause is None:
                return None
            error = cause
        return self._failed[0] if self._failed else None

    def waits_in(self) -> _Pending | None:
        """The oldest collective that was issued and is not done."""
        with self._turn:
            return next((each for each in self._pending if not each.is_done()), None)

    # Where it is.

    def _at_module(self) -> None:
        fault = self._fault
        if fault and fault.phase == self.phase_now():
            self._fire()

    def _fire(self) -> None:
        fault, self._fault = self._fault, None  # once: a recomputation enters the module again
        assert fault is not None
        self._flight.stays_at(fault.phase, fault.module)
        faults.commit(fault)
        self._flight.goes_on()

    def _settle(self) -> None:
        """Lets go of what is done; shows the oldest that is not: of several in flight, what the rank waits for first."""
        shown = self._pending[0] if self._pending else None
        self._pending = [each for each in self._pending if not each.is_done()]
        if shown is not (self._pending[0] if self._pending else None):
            self._show()

    def _show(self) -> None:
        if self._pending:
            one = self._pending[0]
            if (
                self._flight.slot.sequence != one.sequence
                or self._flight.slot.operation != one.operation
                or (self._flight.slot.group != one.group)
            ):
                self._flight.at_collective(one.phase, one.operation, one.group, one.sequence, one.shape)
        else:
            self._flight.left_collective()

    def _look(self, thread: int) -> None:
        """A thread of its own: the rank's may be waiting, or in one module for ever."""
        done, since = self._done, time.monotonic()
        while not self._over.wait(_TICK_SECONDS):
            with self._turn:
                self._settle()
            if self._done != done:
                done, since = self._done, time.monotonic()
            elif time.monotonic() - since > _STILL_SECONDS:
                at = self.names.of_stack(sys._current_frames().get(thread))
                if at != self._flight.slot.module:
                    self._flight.at_module(self._flight.slot.phase, at)
                since = time.monotonic()


class Unsupported(Exception):
    """The case cannot be run as it was asked for."""


def check_reduces_float64(call: Call) -> None:
    """A sum of other floats rounds, and in what order ranks are added is up to the layout."""
    if call.kind not in REDUCTIONS:
        return
    for tensor in call.inputs:
        if tensor.is_floating_point() and tensor.dtype is not torch.float64:
            dtype = str(tensor.dtype).removeprefix("torch.")
            raise Unsupported(
                f"{call.kind} of {dtype} adds numbers that exact arithmetic does not round; --arithmetic float32 runs it"
            )


def asked_without_its_lock(work: Any) -> Callable[[], Any]:
    """What tells whether a work has ended: its future, whose state is read without a lock. `is_completed` takes the lock of the
    work while its caller has the GIL. A thread of gloo's that ends a work under a profiler has that lock, and asks for the
    GIL to restore what a checkpoint has put on saved tensors: each would wait for the other for ever."""
    try:
        done: Callable[[], Any] = work.get_future().done
    except RuntimeError:  # it has none, and no other thread that would end it
        done = work.is_completed
    return done


# In these a fault fires where a module is entered, in the others when the phase begins.
_PHASES_OF_MODULES = ("forward", "recompute", "backward")


def fault_of(message: Mapping[str, Any] | None, rank: int) -> Fault | None:
    """That of this rank."""
    if message is None or message["rank"] != rank:
        return None
    return Fault(**{name: message[name] for name in ("kind", "rank", "module", "phase", "sequence")})
