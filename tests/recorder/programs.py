"""The environment in which a recorded job finds ordercheck, and python and torchrun of one Python."""

from __future__ import annotations

import os
import shlex
from pathlib import Path


def environment_of(ordercheck: str, python: str, folder: Path) -> dict[str, str]:
    """Makes `folder` and fills it with the programs."""
    folder.mkdir()
    (folder / "ordercheck").symlink_to(Path(ordercheck).absolute())
    # Scripts: a link to the Python of a venv would find no packages.
    for name, module in (("python", ""), ("torchrun", "-W ignore -m torch.distributed.run ")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(python)} {module}"$@"\n')
        program.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "NO_COLOR": "1",
    }
