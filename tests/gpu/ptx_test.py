"""ptx_test.py BUILD: no kernel of the preset cuda multiplies and adds in one rounding, with the options of BUILD.

A host's twin of a kernel rounds twice, and so must the kernel. nvcc fuses where it is not told not to: what it makes without
the option shows that this test would see it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1))
OPTION = "--fmad=false"
PATIENCE_SECONDS = 600


def commands() -> dict[str, list[str]]:
    """Of each kernel's source, how it is compiled, up to what is made of it."""
    listed = subprocess.run(
        ["ninja", "-C", str(BUILD), "-t", "commands"], capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for line in listed.splitlines():
        if (source := re.search(r" -c (\S+\.cu) ", line)) is None:
            continue
        words = shlex.split(line)
        words = words[next(i for i, word in enumerate(words) if word.endswith("nvcc")) : words.index("-MD")]
        found[source[1]] = [word for word in words if not word.startswith("--generate-code")]
    return found


def fused_in(source: str, command: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "kernel.ptx"
        subprocess.run(
            [*command, "-arch=sm_90", "-ptx", source, "-o", str(made)],
            check=True,
            timeout=PATIENCE_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        return len(re.findall(r"\bfma\.", made.read_text()))


class Kernels(unittest.TestCase):
    def test_multiply_and_add_in_two_roundings(self) -> None:
        kernels = commands()
        self.assertGreater(len(kernels), 1)
        without_option = 0
        for source, command in kernels.items():
            self.assertIn(OPTION, command)
            self.assertEqual(fused_in(source, command), 0, source)
            without_option += fused_in(source, [word for word in command if word != OPTION])
        self.assertGreater(without_option, 0, "nvcc fuses nothing here: this test sees nothing")


unittest.main()
