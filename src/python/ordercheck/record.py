"""Records what a block of code applies to its model: `with ordercheck.record() as job:`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ordercheck.answers import Report, read_report
from ordercheck.ask import facts
from ordercheck.program import OrdercheckError, json_answer


class Recording:
    """The recording of rank 0, complete when the block has ended. Other ranks write none."""

    def __init__(self, path: Path, flush: Callable[[], None]) -> None:
        self.path = path
        self._flush = flush

    @property
    def stack(self) -> str:
        """The transforms in the order in which they were applied: "tp=2,ac,fsdp=2"."""
        stack: str = self._asked("import")["stacks"][0]["stack"]
        return stack

    def check(self, **known: Any) -> Report:
        """What the rules say about the recorded order; takes what `ordercheck.check` takes."""
        return read_report(self._asked("check", *facts(**known))["answer"])

    def _asked(self, *arguments: str) -> dict[str, Any]:
        self._flush()
        if not self.path.exists():
            raise OrdercheckError(
                f"{self.path}: nothing was recorded: rank 0 made no call that is recorded", 2
            )
        return json_answer(arguments[0], str(self.path), *arguments[1:])


@contextmanager
def record(path: str | os.PathLike[str] | None = None) -> Iterator[Recording]:
    """Records the calls of this process until the block ends, also if it raises. Without a path, into a temporary file.

    Modules that are imported already are wrapped too. One recording at a time: a job under `ordercheck record` has its own.
    """
    from ordercheck.recorder.ordercheck_recorder import start

    if path is None:
        path = Path(tempfile.mkdtemp(prefix="ordercheck-")) / "job.json"
    writer = start(os.path.abspath(path))
    if writer is None:
        raise OrdercheckError(
            "this process is recorded already, by `ordercheck record` or an outer record()", 2
        )
    try:
        yield Recording(Path(writer.path), lambda: None if writer.is_closed else writer.flush())
    finally:
        writer.close()
