"""The front process: speaks the protocol, forks ranks, and puts their reports together.

It never starts a thread and touches neither gloo nor CUDA: ranks are forked from it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from .preload import import_all, set_environment


class ProtocolOut:
    """The real stdout, moved aside: libraries print."""

    def __init__(self) -> None:
        import fcntl

        self.descriptor = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
        os.dup2(2, 1)

    def line(self, text: str) -> None:
        data = text.encode() + b"\n"
        while data:
            try:
                data = data[os.write(self.descriptor, data) :]
            except OSError:
                os._exit(2)  # nobody is listening any more

    def message(self, message: dict[str, Any]) -> None:
        self.line(json.dumps(message, separators=(",", ":")))


def serve(load_program: Callable[[], Any]) -> int:
    """Returns the exit code when stdin ends. `load_program` makes a program.Program, once torch is there. What ranks are comes
    from ORDERCHECK_DEVICE and ORDERCHECK_WORLD."""
    set_environment()
    out = ProtocolOut()
    from ..torch_compat import gpus_by_nvml
    from .front import Front
    from .rank_setup import CannotSetUp, setup_of

    try:
        setup = setup_of(os.environ, gpus_by_nvml())
    except CannotSetUp as why:
        sys.exit(f"ordercheck_pytorch: {why}")
    program = load_program()
    store = tempfile.mkdtemp(prefix="ordercheck-pytorch-")
    front = Front(program, out, store, setup)
    try:
        out.message(front.hello())
        import_all()  # after the hello: nobody who only wants to know who this is need wait for it
        for line in sys.stdin.buffer:
            run = json.loads(line)
            if run["type"] != "run":
                print(
                    f"ordercheck_pytorch: expected a run, got a {run['type']}",
                    file=sys.stderr,
                )
                return 2
            front.answer(run)
        return 0
    finally:
        front.pool.kill()
        shutil.rmtree(store, ignore_errors=True)
