"""Runs the mutants of native.toml on a worker that has native.patch. scripts/mutants builds that worker and calls this.

mutants.py ORDERCHECK WORKER RULES [--write] [NAME...]: exits 1 if a mutant is not detected, or if a case without its mutant is
neither equal nor close. --write updates native.tsv.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import tomllib

FOLDER = Path(__file__).resolve().parent
COLUMNS = ["mutant", "case", "twin", "verdict", "first", "message"]
PASSES = ("equal", "close")


@dataclass(frozen=True)
class Row:
    mutant: str
    case: str
    verdict: str
    first: str  # "" for anywhere


def expected_rows() -> list[Row]:
    tables = tomllib.loads((FOLDER / "native.toml").read_text())["mutant"]
    return [
        Row(table["name"], case, table["verdict"], table.get("first", ""))
        for table in tables
        for case in table["cases"]
    ]


def seen_rows() -> list[dict[str, str]]:
    """The rows of native.tsv. Lines that start with # name the engine, its version and the device."""
    lines = (FOLDER / "native.tsv").read_text().splitlines()
    fields = [line.split("\t") for line in lines if not line.startswith("#")]
    assert fields[0] == COLUMNS, f"expected the columns {COLUMNS}, got {fields[0]}"
    return [dict(zip(COLUMNS, row, strict=True)) for row in fields[1:]]


def is_detected(expected: Row, verdict: str, first: str) -> bool:
    return verdict == expected.verdict and expected.first in ("", first)


def first_of(run: dict) -> str:
    """Where an error shows first: a tensor, the items without an effect, or the collective that failed."""
    if difference := run.get("difference"):
        step = difference["step"]
        return difference["what"] + (f" of step {step}" if step else "")
    if run["verdict"] == "ignored":
        lost = [effect for effect in run["effects"] if effect["defined"] and not effect["present"]]
        wholly = [effect for effect in lost if not effect["partly"]]
        return ", ".join(effect["transform"] for effect in wholly or lost)
    failure = run.get("failure")
    if not failure:
        return ""
    place = ", ".join(part for part in (failure["module"], failure["operation"]) if part)
    return f"{place} on {failure['group']}" if failure["group"] else place


class Worker:
    def __init__(self, ordercheck: str, worker: str, rules: str) -> None:
        self.command = [ordercheck, "run", "--json", "--rules", rules]
        self.env = os.environ | {"ORDERCHECK_WORKER": worker}
        self.twins: dict[str, str] = {}
        self.versions: list[str] = []

    def run(self, case: str, mutant: str = "") -> dict:
        env = dict(self.env)
        if mutant:
            env |= {"ORDERCHECK_MUTANT": mutant, "ORDERCHECK_MUTANT_CASE": case}
        ran = subprocess.run([*self.command, case], env=env, capture_output=True, text=True)
        if not ran.stdout:
            sys.exit(f"ordercheck run {case}, mutant '{mutant}': exit {ran.returncode}: {ran.stderr}")
        answer = json.loads(ran.stdout)
        self.versions = answer["versions"]
        return answer

    def twin(self, case: str) -> str:
        """The verdict on the case without a mutant, from one run per case."""
        if case not in self.twins:
            self.twins[case] = self.run(case)["verdict"]
        return self.twins[case]

    def see(self, row: Row) -> dict[str, str]:
        run = self.run(row.case, row.mutant)
        message = run["reason"] if run["ending"] == "completed" else ""
        values = [row.mutant, row.case, self.twin(row.case), run["verdict"], first_of(run), message]
        return {name: value.replace("\t", " ") or "-" for name, value in zip(COLUMNS, values, strict=True)}


def write(rows: list[dict[str, str]], versions: list[str]) -> None:
    head = [
        "# Written by scripts/mutants --write",
        "# engine\tnative",
        *(f"# version\t{version}" for version in versions),
    ]
    head += ["# device\tcpu", "\t".join(COLUMNS)]
    body = sorted("\t".join(row[name] for name in COLUMNS) for row in rows)
    (FOLDER / "native.tsv").write_text("\n".join([*head, *body]) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/mutants", description="Inject known errors and check that each is detected."
    )
    for name in ("ordercheck", "worker", "rules"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="update tests/mutants/native.tsv")
    parser.add_argument("names", nargs="*", help="mutants to run; default all")
    options = parser.parse_args()
    rows = expected_rows()
    known = {row.mutant for row in rows}
    if unknown := set(options.names) - known:
        parser.error(f"native.toml has no mutant {sorted(unknown)}; it has {sorted(known)}")
    chosen = [row for row in rows if not options.names or row.mutant in options.names]

    worker = Worker(options.ordercheck, options.worker, options.rules)
    seen, wrong = [], 0
    for row in chosen:
        got = worker.see(row)
        seen.append(got)
        detected = is_detected(row, got["verdict"], got["first"])
        sound = got["twin"] in PASSES
        wrong += not (detected and sound)
        state = "detected" if detected else f"NOT DETECTED: expected {row.verdict}, {row.first or 'anywhere'}"
        print(
            f"{row.mutant}  {row.case}  twin {got['twin']}  {got['verdict']}  {got['first']}  {state}",
            flush=True,
        )
        if not sound:
            print(f"  the twin {row.case} without {row.mutant} must be equal or close", flush=True)
    if options.write:
        chosen_keys = {(row.mutant, row.case) for row in chosen}
        keys = {(row.mutant, row.case) for row in rows} - chosen_keys
        kept = [row for row in seen_rows() if (row["mutant"], row["case"]) in keys]
        write(kept + seen, worker.versions)
    print(
        f"{len(chosen)} rows of {len({row.mutant for row in chosen})} mutants: {len(chosen) - wrong} right, {wrong} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
