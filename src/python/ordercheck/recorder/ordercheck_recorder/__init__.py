"""Records which transforms a job applies, in which order, to which modules: `ordercheck record -- torchrun ... train.py`.

It wraps the calls by which frameworks build their models (targets.py) and calls through with the same arguments. It keeps
names, sizes and places in code, never values, data, arguments of the program or environment variables. Rank 0 writes one
file. It needs Python 3.10 and torch 2.6, and nothing else."""

from __future__ import annotations

import sys

from .writer import Writer

__all__ = ["Writer", "start"]


def start(path: str) -> Writer | None:
    """Records this process into `path` until it ends. None if it is recorded already."""
    # On sys: the package may be imported under two names, by sitecustomize and as a part of ordercheck.
    before = getattr(sys, "_ordercheck_writer", None)
    if before is not None and not before.is_closed:
        return None
    writer = Writer(path)
    sys._ordercheck_writer = writer  # type: ignore[attr-defined]
    writer.start()
    return writer
