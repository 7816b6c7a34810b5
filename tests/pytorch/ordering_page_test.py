"""The code on the first screen of docs/parallelism_ordering.md, run as a user would hand it in with --apply."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ordercheck_pytorch.projects.project import project_named
from real_worker import Worker, numbers

TORCHTITAN = project_named("torchtitan")
PAGE = Path(__file__).parents[2] / "docs" / "parallelism_ordering.md"


def blocks_of_the_page() -> list[str]:
    """The dense model's, and that of a model with experts."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2, f"{PAGE} has {len(blocks)} blocks of Python"
    return blocks


def test_the_code_of_the_page_is_bitwise_equal_to_a_single_rank_run(tmp_path: Path) -> None:
    (tmp_path / "of_the_page.py").write_text(blocks_of_the_page()[0])
    worker = Worker(users_code=str(tmp_path))
    record = worker.run("tp=2,ac,compile,fsdp=2", apply="of_the_page:parallelize")
    assert numbers(record) == numbers(worker.run(""))
    assert record["counters"]["graph_captures"] > 0
    kinds = {(c["kind"], c["group"], c["phase"]) for c in record["collectives"]}
    assert {("all_gather", "dp_shard", "forward"), ("reduce_scatter", "dp_shard", "backward")} <= kinds
    assert any(group == "tp" and phase in ("forward", "recompute") for _, group, phase in kinds)
    assert worker.close() == 0


@pytest.mark.skipif(
    not TORCHTITAN.is_installed,
    reason=f"{TORCHTITAN.name} is not in the cache; scripts/test puts it there",
)
def test_the_code_for_experts_is_bitwise_equal_to_a_single_rank_run(tmp_path: Path) -> None:
    code = blocks_of_the_page()[1]
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
