"""Prints "name<TAB>hash<TAB>strides" of every case in tests/data/exact/cases.tsv, computed by the exact kernels. Another engine that
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


def strides_of(results: list[torch.Tensor]) -> str:
    return ";".join(",".join(str(stride) for stride in x.stride()) for x in results)


def results(layouts: Sequence[str] = ("",)) -> Iterator[tuple[Case, list[list[torch.Tensor]]]]:
    """Of every case, with its operands in these layouts, "" for their own."""
    cases = all_cases()
    for grid in sorted({case.grid for case in cases}, reverse=True):
        with exact_kernels(grid):
            for case in cases:
                if case.grid == grid:
                    yield case, [case.results(layout) for layout in layouts]


def hashes(layouts: Sequence[str] = ("",)) -> Iterator[tuple[Case, list[str]]]:
    for case, found in results(layouts):
        yield case, [hash_of(one) for one in found]


def main() -> None:
    torch.set_num_threads(1)
    for case, (own,) in results():
        sys.stdout.write(f"{case.name}\t{hash_of(own)}\t{strides_of(own)}\n")


if __name__ == "__main__":
    main()
