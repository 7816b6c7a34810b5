"""Each example on a rule page is the code that `ordercheck repro` writes, and shows what the page's runs showed."""

from __future__ import annotations

import multiprocessing
import os
import re
import runpy
import socket
import sys
import time
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
import torch
from rule_examples import ROOT, Example, examples, script_of_example

EXAMPLES = examples()
STACKS = sorted({stack for example in EXAMPLES for stack in (example.bad, example.good)})
# A script compares numbers: it does not see whether a transform has its effect.
IN_A_SCRIPT = {"equal": "equal", "ignored": "equal", "differs": "differs", "fails": "fails"}
PATIENCE_SECONDS = 150

# Ranks start from a process that has imported torch.
RANKS = multiprocessing.get_context("forkserver")
RANKS.set_forkserver_preload(
    ["torch.distributed.fsdp", "torch.distributed.tensor.parallel", "torch._dynamo", "torch.nn.parallel"]
)


def verdicts_of_runs() -> dict[str, str]:
    """Of this release of torch, by stack."""
    version = torch.__version__.split("+")[0]
    table = ROOT / "matrix" / "evidence" / "pytorch" / f"torch-{version}-cpu.tsv"
    rows = [line.split("\t") for line in table.read_text().splitlines() if not line.startswith("#")]
    return {case.removesuffix(" engine=pytorch"): verdict for case, verdict, *_ in rows}


VERDICTS = verdicts_of_runs()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.path.stem)
def test_the_example_is_the_code_of_its_stacks(example: Example) -> None:
    assert example.path.read_text() == example.page(), (
        "run PYTHONPATH=src/drivers/pytorch python3 tests/pytorch/rule_examples.py"
    )


@pytest.mark.parametrize("stack", STACKS)
def test_the_code_shows_what_the_run_showed(tmp_path: Path, stack: str) -> None:
    run = VERDICTS.get(stack, VERDICTS.get(f"{stack},optimizer=adamw", "not run"))
    if run not in IN_A_SCRIPT:
        pytest.skip(f"the committed run of {stack} is: {run}")
    assert verdict_of(script_of_example(stack), tmp_path).startswith(IN_A_SCRIPT[run])


def test_code_in_the_other_order_is_told_apart(tmp_path: Path) -> None:
    script = script_of_example("tp=2,ac")
    tp, ac = script.index("# tp=2\n"), script.index("# ac\n")
    end = script.index("# optimizer", ac)
    turned = script[:tp] + script[ac:end] + script[tp:ac] + script[end:]
    assert verdict_of(turned, tmp_path).startswith("differs")


def verdict_of(script: str, folder: Path) -> str:
    path = folder / "case.py"
    path.write_text(script)
    count = re.search(r"--nproc-per-node (\d+)", script)
    assert count is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = [
        RANKS.Process(target=run_rank, args=(path, r, int(count[1]), port)) for r in range(int(count[1]))
    ]
    for process in processes:
        process.start()
    wait_for(processes)
    printed = "".join((folder / f"rank{rank}.txt").read_text() for rank in range(len(processes)))
    verdicts = re.findall(r"^verdict: (.*)$", printed, re.MULTILINE)
    assert verdicts, printed
    return str(verdicts[0])


def run_rank(path: Path, rank: int, world: int, port: int) -> None:
    os.environ |= {
        "RANK": str(rank),
        "WORLD_SIZE": str(world),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }
    torch.set_num_threads(1)
    with open(path.with_name(f"rank{rank}.txt"), "w", buffering=1) as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        sys.stdout = sys.stderr = output
        try:
            runpy.run_path(str(path), run_name="__main__")
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(1)


def wait_for(processes: Sequence[ForkServerProcess]) -> None:
    """As torchrun: after the first rank that ends badly, the others have a few seconds."""
    end = time.monotonic() + PATIENCE_SECONDS
    while any(process.exitcode is None for process in processes) and time.monotonic() < end:
        if any(process.exitcode for process in processes):
            end = min(end, time.monotonic() + 5)
        time.sleep(0.02)
    for process in processes:
        process.kill()
        process.join()
