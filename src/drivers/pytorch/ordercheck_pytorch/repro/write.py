"""Puts the script together: the files of program/ that the case needs, joined, and a main that runs and compares."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import TextIO

from ..program.case import Case, case_of
from ..program.catalogue import TRANSFORMS, cannot
from ..program.exact.table import table_text
from .join import joined

PACKAGE = Path(__file__).parent.parent

# What every script has of program/, in the order in which they need each other. What the transforms of the stack need
# besides stands between BEFORE and AFTER.
BEFORE = (
    "case",
    "counter_random",
    "data",
    "exact/stock",
    "exact/grid",
    "exact/kernels",
    "exact/contractions",
    "exact/sums",
    "exact/elementwise",
    "exact/vector_norms",
    "exact/softmax",
    "exact/losses",
    "exact/scatters",
    "exact/attention",
    "exact/clipping",
    "exact/layer_norms",
    "exact/optimizers",
    "exact/table",
    "exact/guard",
    "exact/casts",
    "exact/foreign",
    "exact/decompositions",
    "exact/draws",
    "exact/reductions",
    "exact/parameters",
    "exact/inductor",
    "exact/refusals",
    "exact/install",
    "llama",
    "user_code",
    "widen",
    "loss",
    "task",
    "watch",
    "gather",
    "names",
    "same_weights",
    "buffers",
    "clipping",
    "partial_operands",
)
ONE_RANK = "# then compares losses, gradients and parameters bit for bit."
HOW = {
    "exact": (
        "# Runs the stack on this torch, and the same model on one rank, in arithmetic in which no sum ever rounds;",
        ONE_RANK,
    ),
    "plain": (
        "# Runs the stack on this torch, and the same model on one rank, in float64 that rounds;",
        ONE_RANK,
    ),
    "float32": (
        "# Runs the stack on this torch twice, in float32, which must agree bit for bit. Then compares how far losses,",
        "# gradients and parameters are from a float64 single-rank run with how far rounding takes one (the noise floor).",
    ),
}
AFTER = (
    "users_function",
    "placements",
    "pipeline",
    "apart",
    "result",
    "apply",
    "parts",
    "observe",
    "train",
    "rank",
)
# Before which fields the repr of a case is cut.
FIELDS_OF_A_CASE = re.compile(r"(?=\b(?:model=|items=|on_one_rank=|Item\(|mesh=|settings=))")
OBSERVED = ("spans", "profile_events", "recompute", "compiled_share", "operators", "graphs")


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
    used = list(dict.fromkeys([*names, "optimizer"]))
    needed = dict.fromkeys(name for transform in used for name in needs_of(file_of(transform), ".."))
    paths: list[Path | str] = [PACKAGE / f"{name}.py" for name in ("torch_compat", "process_state")]
    paths += [program_file(name) for name in dict.fromkeys([*BEFORE, *needed])]
    paths.insert(paths.index(program_file("exact/table")) + 1, embedded_table())
    files = dict.fromkeys(file for transform in used for file in files_of(transform))
    paths += [program_file(f"transforms/{name}") for name in ("program", *files)]
    catalogue = ", ".join(f'"{name}": SimpleNamespace({functions_of(name)})' for name in used)
    built = f"# The transforms of this case.\nTRANSFORMS: dict[str, Any] = {{{catalogue}}}"
    paths_after = [program_file(name) for name in AFTER]
    paths_after += [PACKAGE / "observe" / f"{name}.py" for name in ("wording", *OBSERVED)]
    judge = [PACKAGE / "repro" / f"{name}.py" for name in ("noise_floor", "main_part")]
    start = f'CASE = {case!r}\n\nif __name__ == "__main__":\n    leave(main(CASE))\n'
    imports, bodies = joined([*paths, built, *paths_after, *judge, start])
    return [*heading(case), f"{imports}\n\n", *bodies[:-1], *FIELDS_OF_A_CASE.split(bodies[-1])]


@cache
def embedded_table() -> str:
    """In the place of the file, which a script does not have beside it; without the reasons, which are for readers."""
    kept = [line for line in table_text().splitlines() if not line.startswith("#")]
    rows = "\n".join("\t".join([*line.split("\t")[:4], ""]) for line in kept)
    return f'def table_text() -> str:\n    return """{rows}"""\n'


def functions_of(transform: str) -> str:
    found = TRANSFORMS[transform]
    broadcasts = found.broadcasts.__name__ if found.broadcasts else None
    sends = f"sends_every_parameter={found.sends_every_parameter}"
    return f"apply={found.apply.__name__}, broadcasts={broadcasts}, {sends}"


def sends_every_parameter(transform: str) -> bool:
    return transform in TRANSFORMS and TRANSFORMS[transform].sends_every_parameter


def program_file(name: str) -> Path:
    return PACKAGE / "program" / f"{name}.py"


def file_of(transform: str) -> Path:
    return Path(sys.modules[TRANSFORMS[transform].apply.__module__].__file__ or "")


def files_of(transform: str) -> list[str]:
    """Its own in transforms/, behind those that it imports from there."""
    own = file_of(transform)
    return [*(name for name in imported_by(own, ".") if name != "program"), own.stem]


def needs_of(file: Path, dots: str) -> list[str]:
    """The files of program/ that this one imports, each behind those that it imports itself."""
    direct = imported_by(file, dots)
    return [needed for name in direct for needed in (*needs_of(program_file(name), "."), name)]


@cache
def imported_by(file: Path, dots: str) -> list[str]:
    return re.findall(rf"^from {re.escape(dots)}(\w+) import", file.read_text(), re.MULTILINE)


def heading(case: Case) -> list[str]:
    world = case.world_size
    lines = [
        "#",
        f"#   torchrun --standalone --nproc-per-node {world} THIS_FILE",
        "#",
        *HOW[case.settings.arithmetic],
        "# The last line is the verdict; exit code 0 says equal or close. Generated by `ordercheck repro`; needs torch (and",
        "# numpy for pipelines), and nothing else.",
    ]
    return [f"# {case.text}\n", "".join(f"{line}\n" for line in lines)]
