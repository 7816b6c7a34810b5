"""Cases a minute of the matrix against cases a minute of torchrun, which starts a process a rank for every case.

Both are measured in the same run and take turns; every round gives one ratio. bench/run starts this.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOAL = 100
CASES = {"ddp=2": 2, "tp=2,ac": 2, "tp=2,fsdp=2": 4, "tp=2,ac,fsdp=2": 4}


def stop(message):
    sys.exit(f"torchrun_ratio.py: {message}")


def run_torchrun(case, ranks):
    """Seconds of one case."""
    began = time.monotonic()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--standalone",
            "--nproc_per_node",
            str(ranks),
            str(HERE / "torchrun_case.py"),
            case,
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    if done.returncode != 0:
        stop(f"torchrun ended with {done.returncode} on {case}:\n{done.stderr[-3000:]}")
    return time.monotonic() - began


def run_matrix(ordercheck, only, *options):
    """Seconds, cases and runs of a part of the matrix, from nothing: no journal to go on from."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal"
        began = time.monotonic()
        done = subprocess.run(
            [
                ordercheck,
                "matrix",
                "run",
                "--only",
                only,
                "--fresh",
                "--journal",
                str(journal),
                "--format",
                "json",
                *options,
            ],
            capture_output=True,
            text=True,
        )
        seconds = time.monotonic() - began
        # 1: a part of the matrix may lack what a control needs; its verdicts are not the matter here.
        if done.returncode not in (0, 1):
            stop(f"ordercheck matrix run ended with {done.returncode}:\n{done.stderr[-3000:]}")
        return seconds, cases_in(done.stdout), len(journal.read_text().splitlines())


def cases_in(text):
    return len(json.loads(text)["outcomes"])


def spread(values):
    return f"min {min(values):.1f}, median {statistics.median(values):.1f}, max {max(values):.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ordercheck", help="the program")
    parser.add_argument(
        "--only", default="tp=2,*", help="the part of the matrix, as in ordercheck matrix run"
    )
    parser.add_argument("--rounds", type=int, default=len(CASES), help="rounds, a torchrun case each")
    options = parser.parse_args()
    per_case, per_run = [], []
    for i in range(options.rounds):
        case, ranks = list(CASES.items())[i % len(CASES)]
        start = run_torchrun(case, ranks)
        seconds, cases, runs = run_matrix(options.ordercheck, options.only)
        per_case.append(cases / seconds * start)
        per_run.append(runs / seconds * start)
        print(
            f"round {i + 1}: torchrun {case} on {ranks} ranks {start:.1f} s, {60 / start:.1f} cases a minute; "
            f"matrix {cases} cases in {runs} runs {seconds:.1f} s, {60 * cases / seconds:.1f} cases a minute",
            flush=True,
        )
    print(f"cases a minute, matrix over torchrun: {spread(per_case)}")
    print(
        "  a case of the matrix is all its runs (itself twice, its reference, its twins, its recommended order);\n"
        "  a case of torchrun is one start, which trains once and compares nothing"
    )
    print(f"runs a minute, matrix over torchrun: {spread(per_run)}")
    print("  a start of torchrun for each run of the matrix, as would be needed to judge the same cases")
    print(
        f"goal: at least {GOAL} times as many cases: {'met' if statistics.median(per_case) >= GOAL else 'not met'}"
    )


if __name__ == "__main__":
    main()
