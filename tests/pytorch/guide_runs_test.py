"""What guides show of runs, run as they say: it prints what the guide prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs/guide"
ORDERCHECK = ROOT / "build/cpu/bin/ordercheck"
RUNS = re.compile(r"^\$ ordercheck ([^\n]*)\n(.*?)(?=^\$ |\Z)", re.DOTALL | re.MULTILINE)


def check_prints(text: str, folder: Path) -> None:
    """Each command in the transcripts of `text` prints what is below it. A wrong program comes before the right one."""
    if not ORDERCHECK.exists():
        pytest.skip(f"there is no {ORDERCHECK}: scripts/ordercheck builds it")
    blocks = re.findall(r"^```\n(\$ .*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert blocks, "the guide has a transcript"
    for block in blocks:
        runs = RUNS.findall(block)
        assert len(runs) == 2
        for (command, expected), code in zip(runs, (1, 0), strict=True):
            done = subprocess.run(
                [
                    str(ORDERCHECK),
                    *shlex.split(command),
                    "--python",
                    sys.executable,
                    "--rules",
                    str(ROOT / "rules"),
                ],
                cwd=folder,
                capture_output=True,
                text=True,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            pattern = re.escape(expected).replace(r"\.\.\.", ".*")
            assert re.fullmatch(pattern, done.stdout, re.DOTALL), done.stdout + done.stderr
            assert done.returncode == code


def test_the_steps_of_the_guide_print_what_the_guide_shows(tmp_path: Path) -> None:
    text = (GUIDES / "pytorch-engine.md").read_text().partition("### Your own optimizer and step")[2]
    code = re.search(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert code, "the guide has a module"
    (tmp_path / "mine.py").write_text(code[1])
    check_prints(text, tmp_path)


def test_what_is_between_transforms_prints_what_the_guide_shows(tmp_path: Path) -> None:
    if not torch.__version__.startswith("2.11"):
        pytest.skip(f"the guide shows runs of torch 2.11, not {torch.__version__}")
    check_prints((GUIDES / "between-transforms.md").read_text(), tmp_path)
