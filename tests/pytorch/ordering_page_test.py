"""The code on the first screen of docs/parallelism_ordering.md, run as a user would hand it in with --apply."""

from __future__ import annotations

import re
from pathlib import Path

from real_worker import Worker, numbers

PAGE = Path(__file__).parents[2] / "docs" / "parallelism_ordering.md"


def test_the_code_of_the_page_is_bitwise_equal_to_a_single_rank_run(tmp_path: Path) -> None:
    block = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert block, f"{PAGE} has no block of Python"
    (tmp_path / "of_the_page.py").write_text(block[1])
    worker = Worker(users_code=str(tmp_path))
    record = worker.run("tp=2,ac,compile,fsdp=2", apply="of_the_page:parallelize")
    assert numbers(record) == numbers(worker.run(""))
    assert record["counters"]["graph_captures"] > 0
    kinds = {(c["kind"], c["group"], c["phase"]) for c in record["collectives"]}
    assert {("all_gather", "dp_shard", "forward"), ("reduce_scatter", "dp_shard", "backward")} <= kinds
    assert any(group == "tp" and phase in ("forward", "recompute") for _, group, phase in kinds)
    assert worker.close() == 0
