"""Prints "name<TAB>hash" of every case in tests/data/exact/cases.tsv, computed by the exact kernels. Another engine that
prints the same lines has the same kernels; the file tells how operands are drawn and results are hashed. LibTorch's
elementwise functions are part of a result, so lines are held against those of the same release, on the same processor.

Usage: conformance.py, with src/drivers/pytorch on PYTHONPATH."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import torch
from cases import Case, all_cases
from ordercheck_pytorch.program.counter_random import draw
from ordercheck_pytorch.program.exact.install import exact_kernels

ONE_NAN = 0x7FF8000000000000


def words_of(x: torch.Tensor) -> list[int]:
    plain = torch.view_as_real(x.resolve_conj()) if x.is_complex() else x.to(torch.float64)
    bits = plain.contiguous().view(torch.int64).masked_fill(plain.isnan(), ONE_NAN)
    return [plain.ndim, *plain.shape, *bits.flatten().tolist()]


def hash_of(results: list[torch.Tensor]) -> str:
    return f"{draw(*(draw(*words_of(x)) for x in results)):016x}"


def hashes(layouts: Sequence[str] = ("",)) -> Iterator[tuple[Case, list[str]]]:
    """Of every case, with its operands in these layouts, "" for their own."""
    cases = all_cases()
    for grid in sorted({case.grid for case in cases}, reverse=True):
        with exact_kernels(grid):
            for case in cases:
                if case.grid == grid:
                    yield case, [hash_of(case.results(layout)) for layout in layouts]


def main() -> None:
    torch.set_num_threads(1)
    for case, (own,) in hashes():
        sys.stdout.write(f"{case.name}\t{own}\n")


if __name__ == "__main__":
    main()
