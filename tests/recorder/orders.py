"""Records the jobs that the files of matrix/frameworks name, and compares order, places and release with what the files say.
`ordercheck scan` of the same code gives the recorded order, or says what it did not understand:

python orders.py ORDERCHECK PYTHON... [--write] [--only NAME]

PYTHON: the first has the packages of the jobs, others have another torch; --write updates the files"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomllib
from programs import environment_of

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
FILES = ROOT / "matrix/frameworks"
JOBS = ROOT / "docs/guide/recorded"
OF_PACKAGES = "import accelerate, os; print(os.path.dirname(os.path.dirname(accelerate.__file__)))"
# A project's order has one place for transforms that take each other's.
PLACE_OF = {"sac": "ac", "hsdp": "fsdp", "simple_hsdp": "simple_fsdp"}


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode != 0 and "record" in command:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-6000:]}")
    return done.stdout


def kind_of(item: str) -> str:
    """tp of tp=2:sp=off; compile@model of compile=aot_eager@model; quantize=fp8."""
    name, mode = re.match(r"(\w+)(=[a-z]\w*)?", item).groups()  # type: ignore[union-attr]
    scope = "@" + item.split("@")[1] if "@" in item and name == "compile" else ""
    return PLACE_OF.get(name, name) + (mode if name == "quantize" and mode else "") + scope


def scan_differs(file: Path, order: list[str], has_to_speak: bool, scan: Callable[[Path], Json]) -> list[str]:
    """Where what scan says of one file contradicts a recorded order."""
    found = scan(file)
    stacks = [[kind_of(item["item"]) for item in stack["items"]] for stack in found["stacks"]]
    is_open = found["not_understood"] or any(stack["not_understood"] for stack in found["stacks"])
    wrong = []
    for stack in stacks:
        kinds = [kind for kind in stack if kind in order]
        if sorted(kinds, key=order.index) != kinds:
            wrong.append(f"scan of {file.name} gives {','.join(stack)}, recorded was {','.join(order)}")
    silent = [kind for kind in order if not any(kind in stack for stack in stacks)]
    if has_to_speak and silent and not is_open:
        wrong.append(f"scan of {file.name} says nothing of {','.join(silent)}")
    return wrong


def recorded(file: Json, ordercheck: str, python: str, packages: str) -> tuple[Json, list[str]]:
    """What the table [recorded] of a file of matrix/frameworks says of the job that it names, and where scan contradicts."""
    script, *arguments = file["recorded"]["job"].split()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "job"
        shutil.copytree(JOBS / Path(script).parent, folder)
        environment = {**environment_of(ordercheck, python, Path(made) / "bin"), "PYTHONPATH": packages}
        if (folder / "assets.py").exists():
            subprocess.run([python, "assets.py"], cwd=folder, env=environment, check=True)
        ranks = str(file["recorded"]["ranks"])
        torchrun = ["torchrun", "--nproc-per-node", ranks, Path(script).name, *arguments]
        run(["ordercheck", "record", "--", *torchrun], folder, environment)
        read = json.loads(run(["ordercheck", "import", "job.json", "--format", "json"], folder, environment))
        versions = json.loads((folder / "job.json").read_text())["versions"]
        items = [item for item in read["stacks"][0]["items"] if not item["item"].startswith("optimizer")]
        order = [kind_of(item["item"]) for item in items]

        def scan(path: Path) -> Json:
            found: Json = json.loads(
                run(["ordercheck", "scan", str(path), "--format", "json"], folder, environment)
            )
            return found

        contradictions = scan_differs(folder / Path(script).name, order, has_to_speak=True, scan=scan)
        for place in sorted({item["package"].rpartition(":")[0] for item in items if "package" in item}):
            contradictions += scan_differs(Path(packages) / place, order, has_to_speak=False, scan=scan)
    seen = {
        "release": versions.get(file["project"], ""),
        "order": ",".join(order),
        "places": "; ".join(
            f"{kind_of(item['item'])} {item.get('package', 'the function that it is given')}"
            for item in items
        ),
        "with": "torch " + versions["torch"].split("+")[0],
    }
    return seen, contradictions


def update(path: Path, table: dict[str, object]) -> None:
    above = path.read_text().partition("[recorded]\n")[0]
    lines = (f"{key} = {json.dumps(value)}\n" for key, value in table.items())
    path.write_text(above + "[recorded]\n" + "".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("ordercheck")
    parser.add_argument("python", nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    pythons = {
        subprocess.check_output(
            [python, "-c", "import torch; print('torch', torch.__version__.split('+')[0])"], text=True
        ).strip(): python
        for python in options.python
    }
    packages = subprocess.check_output([options.python[0], "-c", OF_PACKAGES], text=True).strip()
    count = wrong = 0
    for path in sorted(FILES.glob("*.toml")):
        file = tomllib.loads(path.read_text())
        if "recorded" not in file or options.only not in path.name:
            continue
        count += 1
        torch = file["recorded"]["with"]
        if torch not in pythons:
            sys.exit(f"{path.name}: {torch}: none of {', '.join(options.python)} has it")
        seen, contradictions = recorded(file, options.ordercheck, pythons[torch], packages)
        differing = [key for key in seen if seen[key] != file["recorded"].get(key)]
        for key in differing:
            print(f"{path.name}: {key}: expected {file['recorded'].get(key)!r}, recorded {seen[key]!r}")
        for contradiction in contradictions:
            print(f"{path.name}: {contradiction}")
        wrong += bool(differing or contradictions)
        if differing and options.write:
            today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
            update(path, {**file["recorded"], **seen, "date": today})
    print(f"{count} recorded orders, {wrong} differ from the files")
    return 0 if options.write or not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
