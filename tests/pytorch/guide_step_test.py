"""The step that the guide of the pytorch engine shows, run as the guide says: it prints what the guide prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs/guide/pytorch-engine.md"
ORDERCHECK = ROOT / "build/cpu/bin/ordercheck"


def code_and_runs() -> tuple[str, list[tuple[str, str]]]:
    """The module, and each command with what the guide prints below it."""
    section = GUIDE.read_text().partition("### Your own optimizer and step")[2]
    code = re.search(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    block = re.search(r"^```\n(\$ .*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert code and block, "the guide has a module and a transcript"
    runs = re.findall(r"^\$ ordercheck ([^\n]*)\n(.*?)(?=^\$ |\Z)", block[1], re.DOTALL | re.MULTILINE)
    return code[1], runs


def test_the_steps_of_the_guide_print_what_the_guide_shows(tmp_path: Path) -> None:
    if not ORDERCHECK.exists():
        pytest.skip(f"there is no {ORDERCHECK}: scripts/ordercheck builds it")
    code, runs = code_and_runs()
    (tmp_path / "mine.py").write_text(code)
    assert len(runs) == 2
    for (command, text), expected in zip(runs, (1, 0), strict=True):
        done = subprocess.run(
            [
                str(ORDERCHECK),
                *shlex.split(command),
                "--python",
                sys.executable,
                "--rules",
                str(ROOT / "rules"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        pattern = re.escape(text).replace(r"\.\.\.", ".*")
        assert re.fullmatch(pattern, done.stdout, re.DOTALL), done.stdout + done.stderr
        assert done.returncode == expected
