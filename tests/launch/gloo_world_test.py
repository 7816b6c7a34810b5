"""gloo_world_test.py RANKS ORDERCHECK ROOT: the world of processes on one machine, seen from outside."""

from __future__ import annotations

import os
import signal
import sys
import unittest
from pathlib import Path

from launcher import LaunchTest


class GlooWorld(LaunchTest):
    # As the kernel's out-of-memory killer does it: without a warning, and one process alone.
    def test_a_rank_that_memory_runs_out_for_says_nothing_of_the_stack(self) -> None:
        command = [
            str(self.ordercheck),
            "run",
            "--world",
            "gloo",
            "--engine",
            "native",
            "fsdp=2 arithmetic=plain steps=1000",
        ]
        environment = os.environ | {"ORDERCHECK_WORKER": str(self.ranks_program)}
        run = self.start([*command, "--rules", str(self.root / "rules")], environment, "run")
        rank, _ = self.await_steps(run.pid, 1)
        os.kill(rank, signal.SIGKILL)
        self.assertEqual(self.code_of(run), 3, self.out("run") + self.errors("run"))
        self.assertIn("unrun", self.out("run"))
        self.assertIn("the kernel does that when memory runs out", self.out("run"))


if __name__ == "__main__":
    GlooWorld.ranks_program, GlooWorld.ordercheck, GlooWorld.root = map(Path, sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
