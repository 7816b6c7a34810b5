"""Measures `covering` of matrix/space.toml: every two levels that fit on the ranks are in one row."""

import itertools
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[2]
loader = SourceFileLoader("covering", str(ROOT / "scripts/covering"))
covering = module_from_spec(spec_from_loader("covering", loader))
loader.exec_module(covering)


def levels_of(row: str) -> list[str]:
    """One of each parameter; a word that is no level of any is refused."""
    words = [word for word in row.replace(",", " ").split() if word != "(nothing)"]
    found = []
    for levels in covering.LEVELS.values():
        usual = covering.USUAL if covering.USUAL in levels else ""
        found.append(next((words.pop(i) for i, word in enumerate(words) if word in levels), usual))
    assert not words, f"{row}: {words} is no level of scripts/covering"
    return found


class Covering(unittest.TestCase):
    def setUp(self) -> None:
        self.rows = [
            levels_of(row) for row in tomllib.loads((ROOT / "matrix/space.toml").read_text())["covering"]
        ]

    def test_every_pair_that_fits_stands_in_a_row(self) -> None:
        missing = []
        for (i, one), (j, other) in itertools.combinations(enumerate(covering.LEVELS.values()), 2):
            for pair in itertools.product(one, other):
                if covering.fits(pair) and not any((row[i], row[j]) == pair for row in self.rows):
                    missing.append(pair)
        self.assertEqual(missing, [])

    def test_every_row_fits_on_the_ranks(self) -> None:
        self.assertEqual([row for row in self.rows if not covering.fits(row)], [])


if __name__ == "__main__":
    unittest.main()
