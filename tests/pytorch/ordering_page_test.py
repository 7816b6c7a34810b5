"""The code of docs/parallelism_ordering.md and that for experts, run as a user would hand it in with --apply."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ordercheck_pytorch.projects.project import project_named
from real_worker import Worker, numbers

TORCHTITAN = project_named("torchtitan")
DOCS = Path(__file__).parents[2] / "docs"


def code_of(page: str) -> str:
    (block,) = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    return block


def test_the_code_of_the_page_is_bitwise_equal_to_a_single_rank_run(tmp_path: Path) -> None:
    (tmp_path / "of_the_page.py").write_text(code_of("parallelism_ordering.md"))
    worker = Worker(users_code=str(tmp_path))
    record = worker.run("tp=2,ac,compile,fsdp=2", apply="of_the_page:parallelize")
    assert numbers(record) == numbers(worker.run(""))
    assert record["counters"]["graph_captures"] > 0
    kinds = {(c["kind"], c["group"], c["phase"]) for c in record["collectives"]}
    assert {("all_gather", "dp_shard", "forward"), ("reduce_scatter", "dp_shard", "backward")} <= kinds
    assert any(group == "tp" and phase in ("forward", "recompute") for _, group, phase in kinds)
    assert worker.close() == 0


def test_the_code_of_the_page_runs_under_torchrun_as_printed(tmp_path: Path) -> None:
    code = code_of("parallelism_ordering.md")
    assert len(code.splitlines()) <= 60
    assert max(map(len, code.splitlines())) <= 88
    (tmp_path / "train.py").write_text(code)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4"]
    # What a rank prints goes to a file of its own: in one pipe, lines of two ranks mix.
    ran = subprocess.run(
        [*torchrun, "--redirects", "1", "--log-dir", "log", "train.py"],
        cwd=tmp_path,
        # Else each rank starts a pool of processes that compile, and tries the processor's instructions out.
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
            "TORCHINDUCTOR_VEC_ISA_OK": "1",
        },
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    norms = [tuple(file.read_text().split()) for file in tmp_path.glob("log/*/*/*/stdout.log")]
    assert len(norms) == 4, ran.stderr
    assert len(set(norms)) == 1, "a step's norm is one on all ranks"
    assert len(set(norms[0])) == 3, "each step changes the norm"


@pytest.mark.skipif(
    not TORCHTITAN.is_installed,
    reason=f"{TORCHTITAN.name} is not in the cache; scripts/test puts it there",
)
def test_the_code_for_experts_is_bitwise_equal_to_a_single_rank_run(tmp_path: Path) -> None:
    code = code_of("experts_and_graphs.md")
    (tmp_path / "of_experts.py").write_text(code)
    averaging = "\n".join(line for line in code.splitlines() if "set_gradient_divide_factor" not in line)
    (tmp_path / "averaging.py").write_text(averaging)
    worker = Worker(users_code=str(tmp_path), project="torchtitan")
    record = worker.run("ep=2,ac,compile,fsdp=4", apply="of_experts:parallelize", model="deepseek_v3")
    alone = numbers(worker.run("", model="deepseek_v3"))
    assert numbers(record) == alone
    assert record["counters"]["graph_captures"] > 0
    kinds = {(c["kind"], c["group"], c["phase"]) for c in record["collectives"]}
    assert {("all_to_all", "ep", "forward"), ("all_gather", "efsdp", "forward")} <= kinds
    # FSDP averages over the ranks that hold the same experts; their tokens come from all ranks of dp_shard.
    assert (
        numbers(worker.run("ep=2,ac,compile,fsdp=4", apply="averaging:parallelize", model="deepseek_v3"))
        != alone
    )
    assert worker.close() == 0
