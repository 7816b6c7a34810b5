"""The script of a case: plain calls of PyTorch on a small model, where they can show it."""

from __future__ import annotations

import json
import sys
from typing import TextIO

from ..program.case import Case, case_of
from ..program.catalogue import TRANSFORMS, cannot
from .short.catalogue import why_no_script
from .short.script import short_pieces


def write_script(source: TextIO, target: TextIO, project: str = "") -> int:
    """From the `case` object of a run message, of a published project where one is named. The exit code; what is wrong goes to
    stderr as one line."""
    try:
        case = case_of(json.loads(source.read()))
        target.write(script_of(case, project))
    except (ValueError, KeyError) as error:
        print(f"expected the case of a run message, got one without {error}", file=sys.stderr)
        return 2
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    return 0


def script_of(case: Case, project: str = "") -> str:
    return "".join(pieces_of(case, project))


def pieces_of(case: Case, project: str = "") -> list[str]:
    """The script, cut where scripts of other cases go on alike."""
    if project:
        raise LookupError(f"a case of {project} has no script: it is run by that project's own code")
    # Of a user's function: what it promises to send.
    names = [item.name for item in case.items if not case.apply or sends_every_parameter(item.name)]
    if unknown := [name for name in names if name not in TRANSFORMS]:
        raise LookupError(f"the pytorch engine builds no {unknown[0]}")
    if reason := cannot(case):
        raise LookupError(f"the pytorch engine declines it: {reason}")
    if lacking := why_no_script(case):
        raise LookupError(f"no script of plain PyTorch has {lacking}; `ordercheck run` shows the case")
    return short_pieces(case)


def sends_every_parameter(transform: str) -> bool:
    return transform in TRANSFORMS and TRANSFORMS[transform].sends_every_parameter
