"""Both engines have the same kernels: of every call in tests/data/exact/cases.tsv, the same bits, laid out alike. How they are
laid out by the stock kernels, stock_form_test.py asks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cases import FILE
from conformance import hash_of, results, strides_of

PROGRAM = Path(__file__).parents[4] / "build" / "cpu" / "bin" / "exact-conformance"
LAYOUTS = ("", "plain", "transposed", "second", "offset", "permuted")


def native(layout: str) -> dict[str, tuple[str, str]]:
    command = [str(PROGRAM), str(FILE), *([layout] if layout else [])]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name: (hashed, strides) for name, hashed, strides in map(lambda line: line.split("\t"), printed.splitlines())}


@pytest.mark.skipif(not PROGRAM.exists(), reason=f"no native engine is built: {PROGRAM} is missing")
def test_both_engines_have_the_same_bits_and_strides() -> None:
    ours: dict[str, dict[str, tuple[str, str]]] = {layout: {} for layout in LAYOUTS}
    for case, found in results(LAYOUTS):
        for layout, one in zip(LAYOUTS, found, strict=True):
            ours[layout][case.name] = hash_of(one), strides_of(one)
    for layout in LAYOUTS:
        theirs = native(layout)
        assert theirs.keys() == ours[layout].keys()
        assert {
            name: (theirs[name], own) for name, own in ours[layout].items() if theirs[name] != own
        } == {}, layout
