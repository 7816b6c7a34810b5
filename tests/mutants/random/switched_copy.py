"""A worker of the native engine with all mutants in it, built from a copy of the checkout; the product has none of it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from draw import COUNT, draw, place_of
from one_site import Site
from sites import sites_in
from switches import HEADER_PATH, header, with_switches

TOP = (
    "CMakeLists.txt",
    "CMakePresets.json",
    "src",
    "scripts",
    "matrix",
    "glossary",
    "LICENSE",
    "README.md",
    "docs/guide",
)


class Copy:
    """The copy has the checkout's layout, so that ccache finds what no mutant touches among what the checkout has compiled."""

    def __init__(self, root: Path, torch: Path):
        self.root, self.torch = root, torch
        self.folder = root / "build" / "random-mutants"
        self.binaries = self.folder / "build" / "cpu"
        self.worker = self.binaries / "bin" / "ordercheck-ranks"

    def draw_what_compiles(self) -> tuple[list[Site], list[Site]]:
        """What is drawn, and what was drawn before and does not compile."""
        sites = sites_in(self.root)
        refused: list[Site] = []
        self._take_checkout()
        while True:
            drawn = draw(sites, {place_of(site) for site in refused})
            if len(drawn) < COUNT:
                sys.exit(f"random mutants: only {len(drawn)} sites can be drawn")
            self._put_switches(drawn)
            wrong = self._build(drawn)
            if not wrong:
                return drawn, refused
            print(
                f"random mutants: {len(wrong)} of {len(drawn)} do not compile and are drawn anew",
                file=sys.stderr,
            )
            refused += wrong

    def _take_checkout(self) -> None:
        for name in TOP:
            paths = (
                [self.root / name] if (self.root / name).is_file() else sorted((self.root / name).rglob("*"))
            )
            for path in paths:
                if path.is_file() and "__pycache__" not in path.parts:
                    _put(self.folder / path.relative_to(self.root), path.read_bytes(), path.stat().st_mode)
        for path in (self.folder / "src").rglob("*"):
            if path.is_file() and not (self.root / path.relative_to(self.folder)).exists():
                path.unlink()

    def _put_switches(self, drawn: list[Site]) -> None:
        _put(self.folder / HEADER_PATH, header().encode())
        numbered = list(enumerate(drawn, 1))
        for path in {site.path for site in sites_in(self.root)}:
            here = [(number, site) for number, site in numbered if site.path == path]
            text = (self.root / path).read_text()
            _put(self.folder / path, (with_switches(path, text, here) if here else text).encode())

    def _build(self, drawn: list[Site]) -> list[Site]:
        """The sites that do not compile."""
        environment = os.environ | {"CCACHE_BASEDIR": str(self.folder), "CCACHE_NOHASHDIR": "1"}
        if not (self.binaries / "build.ninja").exists():
            configure = ["cmake", "-S", self.folder, "--preset", "cpu", f"-DORDERCHECK_TORCH={self.torch}"]
            done = subprocess.run(
                [*configure, "-DORDERCHECK_TESTS=OFF"], env=environment, capture_output=True, text=True
            )
            if done.returncode != 0:
                shutil.rmtree(self.binaries, ignore_errors=True)
                sys.exit(f"random mutants: cannot configure the copy:\n{done.stdout}{done.stderr}")
        ninja = [
            "nice",
            "-n",
            "5",
            "ninja",
            "-C",
            self.binaries,
            "-k",
            "0",
            "-j",
            str(os.cpu_count()),
            "ordercheck-ranks",
        ]
        done = subprocess.run(ninja, env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            return []
        lines = {
            (path, int(line))
            for path, line in re.findall(r"(src/ranks/\S+?\.cpp):(\d+):\d+: error:", done.stdout)
        }
        wrong = [s for s in drawn if any((s.path, line) in lines for line in range(s.line, s.last_line + 1))]
        if not wrong:
            sys.exit(f"random mutants: the copy does not build, for no mutant's sake:\n{done.stdout[-8000:]}")
        return wrong


def _put(path: Path, contents: bytes, mode: int | None = None) -> None:
    """Only where it differs: ninja goes by times."""
    if path.exists() and path.read_bytes() == contents:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents)
    if mode is not None:
        path.chmod(mode)
