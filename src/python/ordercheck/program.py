"""The program of this installation, and the environment in which it finds the PyTorch beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parent / "bin" / "ordercheck"


class OrdercheckError(Exception):
    """Nothing was decided: exit_code 2 where the caller has to change something, 3 where an engine broke."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def environment(folders: Sequence[str] = ()) -> dict[str, str]:
    """Runs on the pytorch engine take the Python that ordercheck is installed in, unless another one is named.

    folders: what ranks have on their path before anything else.
    """
    given = {"ORDERCHECK_PYTHON": sys.executable, **os.environ}
    if folders:
        given["PYTHONPATH"] = os.pathsep.join([*folders, *filter(None, [given.get("PYTHONPATH")])])
    return given


def answer(*arguments: str, folders: Sequence[str] = ()) -> str:
    """What the program printed. Codes 0 and 1 are answers, and 3 is one where its output says what is undecided."""
    ended = subprocess.run(
        [PROGRAM, *arguments], env=environment(folders), capture_output=True, text=True, check=False
    )
    if ended.returncode in (0, 1) or (ended.returncode == 3 and ended.stdout):
        return ended.stdout
    said = ended.stderr.strip() or ended.stdout.strip() or f"ended with exit code {ended.returncode}"
    raise OrdercheckError(said, ended.returncode)


def json_answer(*arguments: str, folders: Sequence[str] = ()) -> dict[str, Any]:
    parsed = json.loads(answer(*arguments, "--format", "json", folders=folders))
    if not isinstance(parsed, dict):
        raise OrdercheckError(f"expected one object of {arguments[0]}, got {type(parsed).__name__}", 2)
    return parsed
