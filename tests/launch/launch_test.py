"""launch_test.py RANKS ORDERCHECK ROOT: ranks that real launchers start, and what becomes of a world that loses one.

torchrun comes from the Python that ORDERCHECK_PYTHON names, mpirun from Debian's openmpi-bin. There is no Slurm here: a
program called srun starts ranks with the variables that srun's manual documents.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from launcher import HANGS, LaunchTest, bare_environment, by_hand, free_port, row_of

# Long enough to be in the middle of: a rank is killed within it.
LONG, SHORT = "fsdp=2 arithmetic=plain steps=1000", "fsdp=2 arithmetic=plain"
SRUN = """#!/usr/bin/env bash
# As srun: --ntasks says how many, each with its own variables, and the highest exit code is the step's.
tasks=1
while [[ $1 == -* ]]; do [[ $1 != --ntasks=* ]] || tasks=${1#*=}; shift; done
started=()
for ((task = 0; task < tasks; ++task)); do
  SLURM_PROCID=$task SLURM_LOCALID=$task SLURM_STEP_NUM_TASKS=$tasks SLURM_STEP_ID=0 SLURM_STEP_NODELIST=localhost "$@" &
  started+=($!)
done
code=0
for one in "${started[@]}"; do
  wait "$one" || { ended=$?; ((ended <= code)) || code=$ended; }
done
exit "$code"
"""


class Launched(LaunchTest):
    def assert_only_rank_0_speaks(self, size: int) -> None:
        for rank in range(1, size):
            self.assertEqual(self.out(str(rank)), "")

    def test_several_cases_in_one_launch_as_a_matrix_judges_them(self) -> None:
        cases = ("tp=2,fsdp=2", "# in the other order", "fsdp=2,tp=2")
        codes = [self.code_of(one) for one in self.started_by_hand(4, *cases)]
        self.assertEqual(codes, [1, 0, 0, 0], self.errors("0"))
        self.assertEqual(row_of(self.record, "tp=2,fsdp=2")["verdict"], "equal")
        fails = row_of(self.record, "fsdp=2,tp=2")
        self.assertEqual((fails["verdict"], fails["phase"]), ("fails", "apply"))
        self.assertIn("equal     tp=2,fsdp=2: ", self.out("0"))
        self.assert_only_rank_0_speaks(4)
        merged = self.merge()
        self.assertIn("2 cases of 1 part on native", merged.stdout, merged.stderr)
        self.assertIn("control        repeated runs held: 1 of 1", merged.stdout)

    def test_a_stack_that_is_silently_wrong_differs(self) -> None:
        wrong = "optimizer=adamw,fsdp=2"
        self.assertEqual(
            [self.code_of(one) for one in self.started_by_hand(2, wrong)], [1, 0], self.errors("0")
        )
        seen = row_of(self.record, wrong)
        self.assertEqual((seen["verdict"], seen["ending"]), ("differs", "completed"), seen["message"])

    def test_a_launch_shows_what_the_same_world_on_one_machine_shows(self) -> None:
        self.assertEqual([self.code_of(one) for one in self.started_by_hand(2, "ac,fsdp=2")], [0, 0])
        alone = self.folder / "alone.tsv"
        rules = ["--rules", str(self.root / "rules"), "--fresh", "--journal", str(self.folder / "journal")]
        selected = ["--world", "gloo", "--only", "ac,fsdp=2", "--out", str(alone)]
        environment = os.environ | {"ORDERCHECK_WORKER": str(self.ranks_program)}
        subprocess.run(
            [str(self.ordercheck), "matrix", "run", *selected, *rules],
            env=environment,
            capture_output=True,
            timeout=HANGS,
        )
        one, other = row_of(self.record, "ac,fsdp=2"), row_of(alone, "ac,fsdp=2")
        self.assertEqual(one, other)

    def test_torchrun(self) -> None:
        python = os.environ.get("ORDERCHECK_PYTHON")
        if not python:
            self.skipTest("ORDERCHECK_PYTHON names no Python that has torchrun")
        for kind in (["--master-port", str(free_port())], ["--standalone"]):
            with self.subTest(kind=kind[0]):
                self.record.unlink(missing_ok=True)
                torchrun = [
                    python,
                    "-m",
                    "torch.distributed.run",
                    "--no-python",
                    "--nproc-per-node",
                    "2",
                    *kind,
                ]
                launch = self.start(
                    torchrun + self.arguments("fsdp=2", "tp=2"), bare_environment(), "torchrun"
                )
                self.assertEqual(self.code_of(launch), 0, self.errors("torchrun"))
                self.assertEqual(row_of(self.record, "fsdp=2")["verdict"], "equal")
                self.assertEqual(len(self.out("torchrun").splitlines()), 3, self.out("torchrun"))
                self.assertIn("2 cases on 2 ranks (torchrun)", self.out("torchrun"))


class UnderMpirun(LaunchTest):
    def setUp(self) -> None:
        super().setUp()
        if not shutil.which("mpirun"):
            self.skipTest("no mpirun; Debian has it in openmpi-bin")

    def mpirun(self, size: int, *cases: str, timeout: int = 60) -> subprocess.Popen[bytes]:
        as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        environment = bare_environment(MASTER_PORT=str(free_port()), **as_root)
        # The second that mpirun leaves between SIGTERM and SIGKILL may be too short on a machine that is busy.
        patient = ["--mca", "odls_base_sigkill_timeout", "15"]
        ranks = self.arguments(*cases, timeout=timeout)
        command = ["mpirun", "--oversubscribe", *patient, "-n", str(size), *ranks]
        return self.start(command, environment, "mpirun")

    def test_mpirun(self) -> None:
        self.assertEqual(self.code_of(self.mpirun(2, "fsdp=2")), 0, self.errors("mpirun"))
        self.assertEqual(row_of(self.record, "fsdp=2")["verdict"], "equal")
        self.assertIn("1 case on 2 ranks (mpirun)", self.out("mpirun"))

    def test_a_rank_killed_in_a_collective_costs_its_case_alone(self) -> None:
        launch = self.mpirun(2, LONG, SHORT)
        rank, _ = self.await_steps(launch.pid, 1)
        os.kill(rank, signal.SIGKILL)
        self.assertNotEqual(self.code_of(launch), 0)
        killed = row_of(self.record, LONG)
        self.assertEqual((killed["verdict"], killed["ending"]), ("unrun", "killed"))
        self.assertIn("rank 1", killed["message"])
        self.assertEqual(row_of(self.record, SHORT)["ending"], "completed")
        merged = self.merge()
        self.assertEqual(merged.returncode, 3, merged.stdout + merged.stderr)

    # mpirun then ends the others with SIGTERM.
    def test_a_rank_killed_with_what_looks_after_it_ends_the_world(self) -> None:
        launch = self.mpirun(2, LONG, SHORT)
        _, looks_after = self.await_steps(launch.pid, 1)
        os.kill(looks_after, signal.SIGKILL)
        self.assertNotEqual(self.code_of(launch), 0)
        lost = row_of(self.record, LONG)
        self.assertEqual((lost["verdict"], lost["ending"]), ("unrun", "killed"))
        self.assertIn("rank 1", lost["message"])


class Lost(LaunchTest):
    """Ranks that nobody but this test looks after."""

    def test_without_a_launcher_too_a_lost_rank_ends_the_world(self) -> None:
        ranks = self.started_by_hand(2, LONG, SHORT)
        _, looks_after = self.await_steps(ranks[1].pid, 1)
        os.kill(looks_after, signal.SIGKILL)
        self.assertEqual(self.code_of(ranks[0]), 3, self.errors("0"))
        lost, not_run = row_of(self.record, LONG), row_of(self.record, SHORT)
        self.assertIn("rank 1 has not been heard of for 3 s", lost["message"])
        self.assertEqual((not_run["verdict"], not_run["ending"]), ("unrun", "unstarted"))

    def test_without_rank_0_the_others_end_with_one_line(self) -> None:
        ranks = self.started_by_hand(2, LONG)
        _, looks_after = self.await_steps(ranks[0].pid, 0)
        os.kill(looks_after, signal.SIGKILL)
        self.assertEqual(self.code_of(ranks[1]), 3)
        (line,) = self.errors("1").splitlines()
        self.assertTrue(line.startswith("ordercheck-ranks: rank 1: "), line)


class Srun(LaunchTest):
    def test_ranks_that_srun_starts(self) -> None:
        srun = self.folder / "srun"
        srun.write_text(SRUN)
        srun.chmod(0o755)
        environment = bare_environment(SLURM_JOB_ID=str(os.getpid()))
        launch = self.start([str(srun), "--ntasks=4", *self.arguments("tp=2,fsdp=2")], environment, "srun")
        self.assertEqual(self.code_of(launch), 0, self.errors("srun"))
        self.assertIn("on 4 ranks (srun)", self.out("srun"))
        self.assertEqual(row_of(self.record, "tp=2,fsdp=2")["verdict"], "equal")


class BadInput(LaunchTest):
    def refused(self, *cases: str, size: int = 1, **variables: str) -> str:
        environment = by_hand(0, size, free_port()) | variables
        ended = subprocess.run(
            self.arguments(*cases), env=environment, capture_output=True, text=True, timeout=HANGS
        )
        self.assertEqual((ended.returncode, ended.stdout), (2, ""), ended.stderr)
        (line,) = ended.stderr.splitlines()
        return line

    def test_a_case_of_another_size_is_refused_before_anything_runs(self) -> None:
        line = self.refused("ac", "tp=2")
        self.assertIn("rank 0: ", line)
        self.assertIn("cases:2: 'tp=2' needs 2 ranks, and 1 is launched; launch as many as it needs", line)
        self.assertFalse(self.record.exists())

    def test_what_is_no_case_of_a_launch(self) -> None:
        self.assertIn("cases:1: ", self.refused("tq=2"))
        self.assertIn("in float32 arithmetic", self.refused("ac arithmetic=float32"))
        self.assertIn("of the engine pytorch", self.refused("ac engine=pytorch"))
        self.assertIn("expected a case a line", self.refused("", "# none"))

    def test_a_record_that_cannot_be_written(self) -> None:
        self.record = self.folder / "nowhere/record.tsv"
        self.assertIn("there is no folder", self.refused("ac"))

    def test_an_environment_that_says_no_rank(self) -> None:
        self.assertIn("WORLD_SIZE: expected a number", self.refused("ac", WORLD_SIZE=""))
        self.assertIn("RANK: expected a number from 0 to 0, got '7'", self.refused("ac", RANK="7"))

    def test_all_ranks_end_when_the_input_is_bad(self) -> None:
        ranks = self.started_by_hand(2, "tp=4")
        self.assertEqual([self.code_of(one) for one in ranks], [2, 0])
        self.assertEqual(self.errors("1"), "")

    def test_ranks_that_do_not_come_are_named(self) -> None:
        port, command = free_port(), self.arguments("ac", timeout=2)
        rank_0 = self.start(command, by_hand(0, 3, port), "0")
        self.assertEqual(self.code_of(rank_0), 3)
        self.assertIn("these have not come: 1, 2", self.errors("0"))


if __name__ == "__main__":
    LaunchTest.ranks_program, LaunchTest.ordercheck, LaunchTest.root = map(Path, sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
