"""A place in the sources, and the small error that can be put there."""

from dataclasses import dataclass

ROOMS = ("src/ranks/mechanism", "src/ranks/transform", "src/ranks/comm")
KINDS = ("constant", "comparison", "bound", "axis", "sum", "logic", "call")


@dataclass(frozen=True)
class Site:
    """`edits` put a switch into the text; a {n} in them is the number of the mutant."""

    path: str
    function: str
    line: int
    last_line: int
    kind: str
    change: str
    edits: tuple[tuple[int, int, str], ...]

    @property
    def span(self) -> tuple[int, int]:
        return self.edits[0][0], self.edits[-1][1]
