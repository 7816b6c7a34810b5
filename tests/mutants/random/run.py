"""Draws, builds, runs the matrix with each mutant on, and with --write writes the table and the page.

    python3 run.py --torch FOLDER [--write] [--last TIER]

Called by scripts/random-mutants. What was run of the same program is not run again."""

import argparse
import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from draw import digest_of_rooms
from matrix_runs import TIERS, Matrix
from one_site import Site
from page import PAGE, render
from sites import ROOT
from switched_copy import Copy
from tables import TABLE, Row, Table, faults, print_table, read, refused_row, row_of


def run_all(matrix: Matrix, drawn: list[Site], progress: Path, tiers: tuple[str, ...]) -> list[Row]:
    """Tier by tier, each for those that the tiers before do not see: few cases show most. Number 0 has none on."""
    known = _begun(matrix, progress)

    def one(number: int, site: Site | None, tier: str) -> None:
        seen = matrix.seen_in(number, tier)
        if seen and not site:
            raise RuntimeError(f"with none on, the matrix departs from what is committed: {seen}")
        known[number] = row = (
            row_of(number, site, tier, seen) if site else Row(0, "-", "-", "-", "-", "not seen", tier)
        )
        with progress.open("a") as file:
            file.write("\t".join(str(value) for value in row.__dict__.values()) + "\n")
        print(*row.__dict__.values(), sep="\t", flush=True)

    for place, tier in enumerate(tiers):
        before = {"-", *tiers[:place]}
        waiting = [job for job in enumerate([None, *drawn]) if _is_waiting(known.get(job[0]), before)]
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(one, number, site, tier) for number, site in waiting]
            try:
                for job in jobs:
                    job.result()
            finally:
                pool.shutdown(cancel_futures=True)
    return [known[number] for number in sorted(known) if number]


def _is_waiting(row: Row | None, tiers_before: set[str]) -> bool:
    return row is None or (row.result == "not seen" and row.tier in tiers_before)


def _begun(matrix: Matrix, progress: Path) -> dict[int, Row]:
    """What a run that was interrupted has seen of the same worker and the same matrix."""
    digest = hashlib.sha256(matrix.worker.read_bytes())
    for file in (
        *sorted((matrix.root / "matrix/evidence/native").iterdir()),
        matrix.root / "matrix/space.toml",
    ):
        digest.update(file.read_bytes())
    head = f"# {digest.hexdigest()}\n"
    lines = progress.read_text().splitlines(keepends=True) if progress.exists() else []
    if not lines or lines[0] != head:
        progress.write_text(head)
        return {}
    cells = [line.rstrip("\n").split("\t") for line in lines[1:] if line.endswith("\n")]
    return {int(row[0]): Row(int(row[0]), *row[1:]) for row in cells}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--torch", type=Path, required=True, help="the folder of LibTorch")
    parser.add_argument("--write", action="store_true", help=f"write {TABLE} and {PAGE}")
    parser.add_argument(
        "--last", choices=TIERS, default=TIERS[-1], help="the last tier; the whole default one takes hours"
    )
    options = parser.parse_args()

    copy = Copy(ROOT, options.torch)
    drawn, refused = copy.draw_what_compiles()
    matrix = Matrix(ROOT, copy.worker)
    rows = run_all(matrix, drawn, copy.folder / "progress.tsv", TIERS[: TIERS.index(options.last) + 1])
    table = Table(digest_of_rooms(ROOT), (*rows, *map(refused_row, refused)))
    if not options.write:
        return 0
    (ROOT / TABLE).write_text(print_table(table))
    table, reasons, note = read(ROOT)
    wrong = faults(table, reasons)
    for fault in wrong:
        print(f"random mutants: {fault}", file=sys.stderr)
    if wrong:
        return 1
    (ROOT / PAGE).write_text(render(table, reasons, note))
    return 0


if __name__ == "__main__":
    sys.exit(main())
