"""One case as a CI job would run it: torchrun starts a process a rank, which builds, applies and trains once.

Usage: torchrun --nproc_per_node N one_case.py CASE_JSON, with src/drivers/pytorch on PYTHONPATH."""

import json
import os
import sys

import torch
import torch.distributed as dist
from ordercheck_pytorch.program.case import case_of
from ordercheck_pytorch.program.rank import run_rank
from ordercheck_pytorch.program.watch import Watch


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    seen = run_rank(case_of(json.loads(sys.argv[1])), int(os.environ["RANK"]), "cpu", Watch())
    if dist.get_rank() == 0:
        print(f"loss {seen.losses[-1]}")
    dist.destroy_process_group()
    sys.stdout.flush()
    os._exit(0)  # now and then a thread of gloo outlives its group, and the interpreter's end aborts on it


main()
