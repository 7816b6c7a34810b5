"""The flight file: where every rank is, in a file that survives the process.

The layout is that of src/protocol/flight_layout.h; its reader there reads these files. A slot has one writing
process; several threads of it take turns.
"""

from __future__ import annotations

import mmap
import os
import struct
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

_MAGIC = b"ORDCFLT1"
_VERSION = 1
_HEADER = struct.Struct("<8sIIIIQ32x")
_SLOT_BYTES = 256
_LOCK = struct.Struct("<Q")
_ENTRY_AT = 16
_ENTRY = struct.Struct("<QqiBB96s48s24s48s2x")
assert _HEADER.size == 64 and _ENTRY.size == 240


@dataclass(frozen=True)
class Slot:
    """Where one rank is. An empty operation: it is in no collective. Unknown sequence: -1."""

    ticket: int = 0
    sequence: int = -1
    step: int = 0
    phase: str = "build"
    finished: bool = False
    module: str = ""
    operation: str = ""
    group: str = ""
    shape: str = ""
    used: bool = False
    torn: bool = False


def create(path: str, ranks: int) -> None:
    """Makes the file with empty slots, all allocated: writing to a hole of a full disk kills the writer. Nobody who looks for
    it finds it without its header."""
    making = path + ".new"
    file = os.open(making, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        size = _HEADER.size + ranks * _SLOT_BYTES
        os.posix_fallocate(file, 0, size)
        os.pwrite(file, _HEADER.pack(_MAGIC, _VERSION, ranks, _SLOT_BYTES, 0, 0), 0)
        os.rename(making, path)
    except OSError:
        os.unlink(making)
        raise
    finally:
        os.close(file)


def _cut(text: str, size: int) -> bytes:
    """At most size - 1 bytes, so that a zero ends it, and no half of a character."""
    return text.encode()[: size - 1].decode(errors="ignore").encode()


class FlightRecorder:
    """Writes one rank's slot. With no path it writes nothing. `phases` are numbered in their order."""

    def __init__(self, path: str, rank: int, phases: Sequence[str]) -> None:
        self._phases = phases
        self._map: mmap.mmap | None = None
        self._slot = Slot()
        self._locked = 0
        self._at = _HEADER.size + rank * _SLOT_BYTES
        self._turn = threading.Lock()
        self._frozen = False
        if path:
            with open(path, "r+b") as file:
                self._map = mmap.mmap(file.fileno(), 0)

    @property
    def slot(self) -> Slot:
        return self._slot

    def at_step(self, step: int, phase: str) -> None:
        with self._turn:
            self._write(replace(self._slot, step=step, phase=phase, module=""))

    def at_module(self, phase: str, module: str) -> None:
        with self._turn:
            self._write(replace(self._slot, phase=phase, module=module))

    def at_collective(self, phase: str, operation: str, group: str, sequence: int, shape: str) -> None:
        with self._turn:
            self._write(
                replace(
                    self._slot, phase=phase, operation=operation, group=group, sequence=sequence, shape=shape
                )
            )

    def left_collective(self) -> None:
        with self._turn:
            if self._slot.operation:
                self._write(replace(self._slot, operation="", group="", shape=""))

    def stays_at(self, phase: str, module: str) -> None:
        """The rank is here, in no collective, and nothing else is written until it goes on."""
        with self._turn:
            self._write(replace(self._slot, phase=phase, module=module, operation="", group="", shape=""))
            self._frozen = True

    def goes_on(self) -> None:
        with self._turn:
            self._frozen = False

    def finished(self) -> None:
        with self._turn:
            self._write(replace(self._slot, finished=True))

    def close(self) -> None:
        with self._turn:
            if self._map is not None:
                self._map.close()
                self._map = None

    def _write(self, slot: Slot) -> None:
        if self._frozen:
            return
        self._slot = replace(slot, ticket=time.monotonic_ns(), used=True)
        if self._map is None:
            return
        slot = self._slot
        entry = _ENTRY.pack(
            slot.ticket,
            slot.sequence,
            slot.step,
            self._phases.index(slot.phase),
            slot.finished,
            _cut(slot.module, 96),
            _cut(slot.operation, 48),
            _cut(slot.group, 24),
            _cut(slot.shape, 48),
        )
        # Odd while the entry is written. Python offers no fence, so on a weakly ordered machine a reader may
        # miss a torn entry; what is decided by a slot is decided when its rank has come to rest.
        _LOCK.pack_into(self._map, self._at, self._locked + 1)
        self._map[self._at + _ENTRY_AT : self._at + _ENTRY_AT + _ENTRY.size] = entry
        self._locked += 2
        _LOCK.pack_into(self._map, self._at, self._locked)


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode(errors="replace")


def _read_slot(data: bytes, phases: Sequence[str]) -> Slot:
    (lock,) = _LOCK.unpack_from(data, 0)
    if lock == 0:
        return Slot()
    ticket, sequence, step, phase, finished, module, operation, group, shape = _ENTRY.unpack_from(
        data, _ENTRY_AT
    )
    if lock % 2 or phase >= len(phases):
        return Slot(used=True, torn=True)
    return Slot(
        ticket=ticket,
        sequence=sequence,
        step=step,
        phase=phases[phase],
        finished=bool(finished),
        module=_text(module),
        operation=_text(operation),
        group=_text(group),
        shape=_text(shape),
        used=True,
    )


def read(path: str, phases: Sequence[str]) -> list[Slot]:
    """All slots, of ranks that are gone or at rest: one that is being written may be read torn."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, ranks, slot_bytes, _, _ = _HEADER.unpack_from(data, 0)
    if (magic, version, slot_bytes) != (_MAGIC, _VERSION, _SLOT_BYTES):
        raise ValueError(f"{path} is no flight file of version {_VERSION}: it starts with {data[:24]!r}")
    begin = _HEADER.size
    slots = (data[begin + r * _SLOT_BYTES : begin + (r + 1) * _SLOT_BYTES] for r in range(ranks))
    return [_read_slot(slot, phases) for slot in slots]


def describe(rank: int, slot: Slot, end: str = "") -> str:
    """One line, in the supervisor's words: 'rank 2: forward, layers.1.attention, in all_gather #7 on tp'."""
    text = f"rank {rank}: "
    if not slot.used:
        text += "wrote nothing"
    elif slot.torn:
        text += "unknown, it was cut off while writing where it is"
    elif slot.finished:
        text += "finished"
    else:
        text += slot.phase
        if slot.module:
            text += f", {slot.module}"
        if slot.operation:
            text += f", in {slot.operation}"
            text += f" #{slot.sequence}" if slot.sequence >= 0 else ""
            text += f" on {slot.group}" if slot.group else ""
            text += f", {slot.shape}" if slot.shape else ""
    return text + (f", {end}" if end else "")
