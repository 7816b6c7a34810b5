"""AutoParallel of graph_trainer needs the package `autoparallel`, which no registry has: a stack with it is declined.

The reason is the error of torchtitan's own import. The import is tried in a process of its own: this one must not import
torchtitan before its dtypes are widened."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from ordercheck_pytorch.api import Item, Program, Site

OPTIONS = ("tp", "replicas", "memory", "prefetch", "reshard")
MODULE = "torchtitan.experiments.graph_trainer.llama3.parallelize_autoparallel"

# Prints the error, and the module of torchtitan with the line that raised it.
TRY = """
import importlib, sys, traceback
folder, absent, name = sys.argv[1], sys.argv[2].split(","), sys.argv[3]
sys.path.insert(0, folder)
from ordercheck_pytorch.program.absent import stand_in_for_modules
stand_in_for_modules(tuple(absent))
try:
    importlib.import_module(name)
except Exception as error:
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(folder)]
    where = f"{own[-1].filename.removeprefix(folder).lstrip('/')}:{own[-1].lineno}" if own else name
    print(f"{where}: {type(error).__name__}: {error}")
"""


@functools.cache
def error_of_import(folder: Path, absent: tuple[str, ...]) -> str:
    """ "" where the import succeeds. `absent`: modules that an empty one stands in for."""
    tried = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TRY, str(folder), ",".join(absent), MODULE],
        capture_output=True,
        text=True,
        check=False,
        # Python of -c looks for modules in its working directory.
        cwd=Path(sys.modules["ordercheck_pytorch"].__path__[0]).parent,
    )
    last = (tried.stdout.strip() or tried.stderr.strip() * (tried.returncode != 0)).splitlines()[-1:]
    return "".join(last)


def cannot_place(folder: Path, absent: Iterable[str]) -> str:
    error = error_of_import(folder, tuple(absent))
    return error or "auto_parallel is not built: this driver was written where its package is not to be had"


def apply_auto_parallel(program: Program, item: Item, site: Site) -> None:
    raise NotImplementedError("cannot_place declines every stack with auto_parallel")
