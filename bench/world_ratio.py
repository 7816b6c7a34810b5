"""What each world and device takes beside threads on the CPU: the same part of the matrix, in turns.

bench/run starts this.
"""

import argparse
import statistics

from torchrun_ratio import run_matrix

OTHERS = {"gloo": ("--world", "gloo"), "fake device": ("--device", "fake")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ordercheck", help="the program")
    parser.add_argument(
        "--only", default="tp=2,fsdp=2*", help="the part of the matrix, as in ordercheck matrix run"
    )
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ratios = {name: [] for name in OTHERS}
    for number in range(options.rounds):
        threads, cases, runs = run_matrix(options.ordercheck, options.only)
        line = f"round {number + 1}: {cases} cases, {runs} runs on threads {threads:.1f} s"
        for name, said in OTHERS.items():
            seconds, _, runs = run_matrix(options.ordercheck, options.only, *said)
            ratios[name].append(seconds / threads)
            line += f"; {name} {seconds:.1f} s ({runs} runs)"
        print(line, flush=True)
    for name, values in ratios.items():
        print(
            f"{name} over threads on the CPU, wall time: min {min(values):.2f}, "
            f"median {statistics.median(values):.2f}, max {max(values):.2f}"
        )


if __name__ == "__main__":
    main()
