"""The run that README shows, run as README says: it prints what README prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ORDERCHECK = [ROOT / "build" / preset / "bin" / "ordercheck" for preset in ("cpu", "core")]


def shown() -> tuple[list[str], str]:
    """Arguments of the command, and what README prints below it."""
    blocks = re.findall(
        r"^```\n\$ scripts/ordercheck (run [^\n]*)\n(.*?)^```$",
        (ROOT / "README.md").read_text(),
        re.DOTALL | re.MULTILINE,
    )
    assert len(blocks) == 1, f"README.md has {len(blocks)} runs"
    command, text = blocks[0]
    return shlex.split(command), text


def test_the_run_of_the_readme_prints_what_the_readme_shows() -> None:
    program = next((path for path in ORDERCHECK if path.exists()), None)
    if program is None:
        pytest.skip(f"there is no {ORDERCHECK[0]}: scripts/ordercheck builds it")
    arguments, text = shown()
    done = subprocess.run(
        [str(program), *arguments, "--python", sys.executable, "--rules", str(ROOT / "rules")],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    # README leaves the end of a long line out, and lines that it marks with "...".
    release = r"torch [0-9.]+(\+\w+)?"
    pattern = re.escape(text).replace(r"\.\.\.", ".*")
    pattern = re.sub(r"torch\\ [0-9]+(?:\\\.[0-9]+)*", lambda _: release, pattern)
    assert re.fullmatch(pattern, done.stdout, re.DOTALL), done.stdout + done.stderr
    assert done.returncode == 1
