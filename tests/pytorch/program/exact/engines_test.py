"""Both engines have the same kernels: of every call in tests/data/exact/cases.tsv, the same bits."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cases import FILE
from conformance import hashes

PROGRAM = Path(__file__).parents[4] / "build" / "cpu" / "bin" / "exact-conformance"


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"no native engine is built: {PROGRAM} is missing")
def test_both_engines_have_the_same_bits() -> None:
    printed = subprocess.run([str(PROGRAM), str(FILE)], capture_output=True, text=True, check=True).stdout
    native = dict(line.split("\t") for line in printed.splitlines())
    ours = {case.name: own for case, (own,) in hashes()}
    assert native.keys() == ours.keys()
    assert {name: (native[name], own) for name, own in ours.items() if native[name] != own} == {}
