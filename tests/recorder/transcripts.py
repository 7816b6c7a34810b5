"""Runs the commands of docs/guide/recording.md and compares what they print with the page:

python transcripts.py ORDERCHECK PYTHON [--write]

PYTHON: one with torch and the packages of the jobs; --write updates the page"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from programs import environment_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/guide/recording.md"
JOBS = ROOT / "docs/guide/recorded"


def blocks_of(text: str) -> list[tuple[int, int]]:
    """The lines of each block that begins with a command, from its first line to the one after its last."""
    lines = text.splitlines()
    fences = [number for number, line in enumerate(lines) if line.startswith("```")]
    pairs = zip(fences[::2], fences[1::2], strict=True)
    return [
        (begin + 1, end)
        for begin, end in pairs
        if lines[begin] == "```" and lines[begin + 1].startswith("$ cd ")
    ]


def output_of(commands: list[str], folder: Path, environment: dict[str, str]) -> list[str]:
    lines: list[str] = []
    for command in commands:
        lines.append("$ " + command)
        words = shlex.split(command)
        if words[0] == "cd":
            folder = folder / words[1]
            continue
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        if words[:2] == ["ordercheck", "record"]:
            said = [line for line in done.stderr.splitlines() if line.startswith("ordercheck record: ")]
            if done.returncode != 0:
                sys.exit(
                    f"{command}: exit code {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
                )
            lines += said
        elif words[0] == "ordercheck":
            lines += (done.stdout + done.stderr).splitlines()
        elif done.returncode != 0:
            sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr[-3000:]}")
    return lines


def main(ordercheck: str, python: str, writes: bool) -> int:
    lines = PAGE.read_text().splitlines()
    wrong = 0
    with tempfile.TemporaryDirectory() as made:
        jobs = Path(made) / "jobs"
        shutil.copytree(JOBS, jobs)
        environment = environment_of(ordercheck, python, Path(made) / "bin")
        for begin, end in reversed(blocks_of(PAGE.read_text())):
            written = lines[begin:end]
            seen = output_of([line[2:] for line in written if line.startswith("$ ")], jobs, environment)
            if seen != written and not writes:
                wrong += 1
                print(f"{PAGE.name}:{begin + 1}: expected what the commands print:", *seen, sep="\n")
            lines[begin:end] = seen
    if writes:
        PAGE.write_text("\n".join(lines) + "\n")
    print(f"{len(blocks_of(PAGE.read_text()))} transcripts, {wrong} differ from the page")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["--write"]))
