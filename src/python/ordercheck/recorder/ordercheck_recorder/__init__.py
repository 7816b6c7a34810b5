"""Records which transforms a job applies, in which order, to which modules: `ordercheck record -- torchrun ... train.py`.

It wraps the calls by which frameworks build their models (targets.py) and calls through with the same arguments. It keeps
names, sizes and places in code, never values, data, arguments of the program or environment variables. Rank 0 writes one
file. It needs Python 3.10 and torch 2.6, and nothing else."""

from __future__ import annotations

import sys

from .writer import Writer

__all__ = ["Writer", "start"]

_started: list[Writer] = []


def start(path: str) -> Writer | None:
    """Records this process into `path` until it ends. None if it is recorded already, or in an older Python."""
    if sys.version_info < (3, 10) or any(not writer.is_closed for writer in _started):
        return None
    writer = Writer(path)
    _started[:] = [writer]
    writer.start()
    return writer
