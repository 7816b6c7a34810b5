"""Writes the recording of rank 0: soon after each event, after the first step, and at the end of the process."""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
from typing import Any

from .recorder import Recorder
from .snapshot import Rank, Snapshots

_DELAY = 0.5  # seconds from an event to the file that has it


def rendered(recording: dict[str, Any]) -> str:
    """One line per event, site and model, so that two recordings can be compared by lines."""
    parts = []
    for key, value in recording.items():
        if isinstance(value, list) and value:
            lines = ",\n  ".join(json.dumps(one) for one in value)
            parts.append(f'"{key}": [\n  {lines}\n ]')
        else:
            parts.append(f'"{key}": {json.dumps(value)}')
    return "{" + ",\n ".join(parts) + "\n}\n"


def write_atomically(path: str, text: str) -> None:
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except OSError:
        # The job goes on; `ordercheck record` says that no recording was written.
        if os.path.exists(part):
            os.unlink(part)


class Writer:
    def __init__(self, path: str) -> None:
        self.path = path
        self.recorder = Recorder(self._event, self._step)
        self._snapshots = Snapshots(self.recorder)
        self._timer: threading.Timer | None = None
        self._process = os.getpid()
        self._began = time.time()
        self._written: tuple[int, int] | None = None  # of the file that this process wrote last
        self._rank = Rank()
        self.is_closed = False
        self._writing = threading.Lock()

    def start(self) -> None:
        self.recorder.start()
        atexit.register(self.close)
        os.register_at_fork(after_in_child=self._after_fork)

    def close(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        atexit.unregister(self.close)
        if self._timer is not None:
            self._timer.cancel()
        self._write("finished", looks=not self.recorder.step.is_done)
        self.recorder.stop()

    def flush(self) -> None:
        """Writes what was seen until now."""
        is_done = self.recorder.step.is_done
        self._write("stepped" if is_done else "started", looks=not is_done)

    def _after_fork(self) -> None:
        """A child of a recorded process, such as a worker that loads data, writes nothing."""
        # Another thread of the parent may have held a lock.
        self._writing, self.recorder.lock = threading.Lock(), threading.RLock()
        if self.recorder.events:
            self.is_closed = True
        else:
            self._process = os.getpid()
            self._timer = None

    def _event(self) -> None:
        if self._timer is None and not self.is_closed:
            self._timer = threading.Timer(_DELAY, self._write_later)
            self._timer.daemon = True
            self._timer.start()

    def _step(self) -> None:
        if not self.is_closed:
            self._write("stepped", looks=True)

    def _write_later(self) -> None:
        self._timer = None
        if self.is_closed:
            return
        self.flush()

    def _write(self, state: str, looks: bool) -> None:
        # A launcher imports torch and calls nothing; only a rank has events.
        if self._process != os.getpid() or not self.recorder.events:
            return
        rank, ranks, is_launched = self._rank.now()
        if rank != 0 or not (is_launched or self._may_replace()):
            return
        if is_launched:
            # What this rank starts, such as processes that load data, would record itself as rank 0 too.
            os.environ.pop("ORDERCHECK_RECORD", None)
        with self._writing, self.recorder.guarded("writing"):
            # A later file has all that an earlier one lacks.
            self.recorder.problems = [
                one for one in self.recorder.problems if not one.startswith("writing: ")
            ]
            try:
                if looks:
                    self._snapshots.look()
                text = rendered(self._snapshots.render(state, rank, ranks))
            except RuntimeError:
                # The job's thread changed a dictionary meanwhile.
                if threading.current_thread() is threading.main_thread():
                    raise
                self._event()
                return
            write_atomically(self.path, text)
            self._written = _mark_of(self.path)

    def _may_replace(self) -> bool:
        """Whether no rank has written since this process began, which is none: a parent of ranks ends after them."""
        try:
            found = os.stat(self.path)
        except OSError:
            return True
        return found.st_mtime < self._began or (found.st_ino, found.st_mtime_ns) == self._written


def _mark_of(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
