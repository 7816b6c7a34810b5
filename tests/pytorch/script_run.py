"""A script of repro under torchrun."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def run_script(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """On as many ranks as its first lines say."""
    path = folder / "case.py"
    path.write_text(script)
    ranks = re.search(r"--nproc-per-node (\d+)", script)
    assert ranks is not None
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--standalone",
            "--nproc-per-node",
            ranks[1],
            str(path),
        ],
        capture_output=True,
        text=True,
        env={"OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )
