"""A program with all its mutants in it: with none on it does what it did, and with one on what that one says."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import draw
from sites import sites_of
from switches import header, with_switches
from toy import CHANGES, TOY


class Switches(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.folder / "ranks").mkdir()
        (cls.folder / "ranks" / "random_mutant.h").write_text(header())
        cls.sites = []
        first = ("logic", "bound", "axis", "sum", "comparison", "constant", "call")
        for site in sorted(sites_of("src/toy.cpp", TOY), key=lambda site: first.index(site.kind)):
            if not any(draw.overlap(site, other) for other in cls.sites):
                cls.sites.append(site)
        cls.built = with_switches("src/toy.cpp", TOY, list(enumerate(cls.sites, 1)))
        cls.program = cls._compiled("switched", cls.built)

    @classmethod
    def _compiled(cls, name: str, text: str) -> Path:
        (cls.folder / f"{name}.cpp").write_text(text)
        command = [
            "c++",
            "-std=c++20",
            "-O0",
            "-w",
            "-I",
            cls.folder,
            cls.folder / f"{name}.cpp",
            "-o",
            cls.folder / name,
        ]
        subprocess.run(command, check=True)
        return cls.folder / name

    def _output(self, program: Path, number: int = 0) -> str:
        environment = os.environ | {"ORDERCHECK_RANDOM_MUTANT": str(number)}
        return subprocess.run([program], env=environment, capture_output=True, text=True, check=False).stdout

    def test_with_none_on_nothing_differs(self) -> None:
        self.assertEqual(self._output(self.program), self._output(self._compiled("plain", TOY)))

    def test_each_does_what_its_name_says(self) -> None:
        for kind, (before, after) in CHANGES.items():
            begin, end = TOY.index(before), TOY.index(before) + len(before)
            numbers = [
                n for n, site in enumerate(self.sites, 1) if site.kind == kind and begin <= site.span[0] < end
            ]
            self.assertTrue(numbers, kind)
            program = self._compiled(kind, TOY.replace(before, after))
            self.assertNotEqual(self._output(program), self._output(self.program), kind)
            self.assertIn(
                self._output(program), [self._output(self.program, number) for number in numbers], kind
            )

    def test_most_change_what_is_printed(self) -> None:
        plain = self._output(self.program)
        differ = [n for n in range(1, len(self.sites) + 1) if self._output(self.program, n) != plain]
        self.assertGreater(len(differ), len(self.sites) // 2)

    def test_lines_keep_their_numbers(self) -> None:
        self.assertEqual(self.built.count("\n"), TOY.count("\n") + 2)
