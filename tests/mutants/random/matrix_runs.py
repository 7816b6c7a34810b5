"""Whether `matrix run --check` tells a worker with one mutant on from what is committed, and by which case first."""

import json
import os
import re
import resource
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# An error in a bound may ask for all memory there is, and one in a wait may never end.
MOST_BYTES = 12 * 2**30
RUN_SECONDS = 20
LIMITS = {"smoke": 180, "covering": 900, "default": 3600}
TIERS = tuple(LIMITS)


@dataclass(frozen=True)
class Seen:
    case: str
    before: str
    after: str


@dataclass(frozen=True)
class Matrix:
    root: Path
    worker: Path

    def seen_in(self, number: int, tier: str) -> Seen | None:
        journal = self.worker.parent / f"journal-{number}"
        command = [
            self.root / "build/cpu/bin/ordercheck",
            "matrix",
            "run",
            "--check",
            "--fresh",
            "--json",
            "--jobs",
            "1",
        ]
        command += ["--timeout", str(RUN_SECONDS), "--journal", journal, "--rules", self.root / "rules"]
        command += ["--matrix", self.root / "matrix", *self._selection(tier)]
        environment = os.environ | {
            "ORDERCHECK_WORKER": str(self.worker),
            "ORDERCHECK_RANDOM_MUTANT": str(number),
        }
        with subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES)),
        ) as process:
            try:
                output, errors = process.communicate(timeout=LIMITS[tier])
            except subprocess.TimeoutExpired:
                # Its workers end with it.
                os.killpg(process.pid, signal.SIGKILL)
                return Seen("(any)", "ends", f"no end within {LIMITS[tier]} s")
        journal.unlink(missing_ok=True)
        if process.returncode == 0:
            return None
        return what_departs(output) or Seen(
            tier, "(none)", "exit code 0", _last_line(errors, process.returncode)
        )

    def _selection(self, tier: str) -> list[str]:
        if tier != "covering":
            return ["--tier", tier]
        return [word for case in covering_cases(self.root) for word in ("--only", case)]


def _last_line(errors: str, code: int) -> str:
    lines = [line for line in errors.splitlines() if line]
    return f"exit code {code}: {lines[-1] if lines else 'nothing told'}"


def what_departs(output: str) -> Seen | None:
    """The first pair of the diff below the object; where no case departs, a control that did not hold."""
    try:
        result, end = json.JSONDecoder().raw_decode(output)
    except json.JSONDecodeError:
        return None
    before = re.search(r"^- (.*?): (.*)$", output[end:], re.MULTILINE)
    if before:
        case, was = before.groups()
        after = re.search(r"^\+ " + re.escape(case) + r": (.*)$", output[end:], re.MULTILINE)
        return Seen(case, was, after.group(1) if after else "not run")
    for control in result.get("controls", []):
        if control["judged"] and not control["held"]:
            return Seen(f"(control: {control['name']})", "held", control["evidence"])
    return None


def covering_cases(root: Path) -> list[str]:
    """Few of the committed cases that together have every item and option, every pair in its order, every model and setting."""
    table = next((root / "matrix/evidence/native").glob("*-cpu.tsv")).read_text().splitlines()
    cases = [line.split("\t")[0] for line in table if not line.startswith(("#", "case\t"))]
    waiting = {case: set(_features_of(case)) for case in cases}
    missing = set().union(*waiting.values())
    chosen = []
    while missing:
        case = max(waiting, key=lambda one: (len(waiting[one] & missing), -len(one), one))
        chosen.append(case)
        missing -= waiting.pop(case)
    return sorted(chosen)


def _features_of(case: str) -> Iterator[str]:
    stack, *settings = case.split(" ")
    items = [re.sub(r"=[0-9x.]+", "", item) for item in stack.split(",")]
    names = [re.split(r"[:=@]", item)[0] for item in items]
    yield from settings
    yield from items
    for second in range(len(names)):
        yield from (f"{first} before {names[second]}" for first in names[:second])
