"""A rank that the kernel kills because memory is short: its case says so, and the next one is right."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_worker import Worker, numbers

LIMIT = 3 << 30  # bytes; ranks that behave need about one together
# Where control groups of the first and second version keep a limit.
LIMIT_FILES = {"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"}
EVENT_FILES = ("memory.oom_control", "memory.events")


@pytest.fixture
def limited_group() -> Iterator[Path]:
    for root, limit in LIMIT_FILES.items():
        group = Path(root) / f"ordercheck-test-{os.getpid()}"
        try:
            group.mkdir()
            (group / limit).write_text(str(LIMIT))
            (group / "cgroup.procs").touch()
        except OSError:
            if group.is_dir():
                group.rmdir()
            continue
        yield group
        for _ in range(100):  # a process that has ended stays a member until it is reaped
            try:
                return group.rmdir()
            except OSError:
                time.sleep(0.1)
        pytest.fail(f"{group} still has members: {(group / 'cgroup.procs').read_text().split()}")
    pytest.skip(
        "no control group with a limit of memory can be made here: that needs its controller and the right to"
    )


def kills(group: Path) -> int:
    """How often the kernel's out-of-memory killer has acted in the group."""
    text = "".join((group / name).read_text() for name in EVENT_FILES if (group / name).exists())
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("oom_kill "))


def test_a_rank_that_the_kernel_kills_costs_its_case_alone(limited_group: Path) -> None:
    def join() -> None:
        (limited_group / "cgroup.procs").write_text(str(os.getpid()))

    worker = Worker(join)
    assert numbers(worker.run("fsdp=2")) == numbers(worker.run(""))
    assert kills(limited_group) == 0
    record = worker.run("fsdp=2", model="mine:network", apply="mine:grow")
    assert kills(limited_group) > 0
    assert record["ending"] == "killed"
    assert record["failure"]["rank"] == 1
    assert "was killed by signal 9" in record["failure"]["message"]
    assert numbers(worker.run("fsdp=2")) == numbers(worker.run(""))
    assert worker.close() == 0
