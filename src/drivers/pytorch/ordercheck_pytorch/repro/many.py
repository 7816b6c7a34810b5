"""The scripts of many cases at once, for a page that holds them all: nearly all of a script is in every other one too."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TextIO

from ..program.case import case_of
from .write import pieces_of


def write_scripts(source: TextIO, target: TextIO, project: str = "") -> int:
    """From a `case` object of a run message on each line. One object: `pieces`,
    each text once, and `scripts`, one a case: the indices of its `pieces`, which make the script of `ordercheck repro` when
    written one after another, or why it is `declined`. The exit code; what is wrong goes to stderr as one line."""
    scripts: list[list[str]] = []
    answers: list[dict[str, Any]] = []
    for number, line in enumerate(source, start=1):
        try:
            case = case_of(json.loads(line))
        except (ValueError, KeyError) as error:
            print(
                f"line {number}: expected the case of a run message, got one without {error}", file=sys.stderr
            )
            return 2
        try:
            scripts.append(pieces_of(case, project))
            answers.append({})
        except LookupError as error:
            answers.append({"declined": error.args[0]})
    index: dict[str, int] = {}
    written = iter(glued(scripts))
    for answer in answers:
        if not answer:
            answer["pieces"] = [index.setdefault(piece, len(index)) for piece in next(written)]
    json.dump({"pieces": list(index), "scripts": answers}, target)
    return 0


def glued(scripts: Sequence[Sequence[str]]) -> list[list[str]]:
    """With one piece in place of two that never stand apart."""
    before: defaultdict[str, set[str]] = defaultdict(set)
    behind: defaultdict[str, set[str]] = defaultdict(set)
    for script in scripts:
        for left, right in pairwise(["", *script, ""]):
            behind[left].add(right)
            before[right].add(left)
    found = []
    for script in scripts:
        whole: list[str] = []
        for left, right in pairwise(["", *script]):
            if left and behind[left] == {right} and before[right] == {left}:
                whole[-1] += right
            else:
                whole.append(right)
        found.append(whole)
    return found
