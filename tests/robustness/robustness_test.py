"""What a matrix run keeps when it is killed, and what it says of a machine without room.

    python3 robustness_test.py ORDERCHECK HONEST_WORKER DATA [KILLS]

ORDERCHECK is the program, HONEST_WORKER the worker that answers as a sound engine would, DATA a folder with rules and a matrix.
The matrix is killed with SIGKILL at KILLS random moments, 20 by default. Standard library only."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM, WORKER, DATA = (Path(each).resolve() for each in sys.argv[1:4])
KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 20
SEED = int(os.environ.get("ROBUSTNESS_SEED", "1"))
JOBS = 2
MILLISECONDS_A_RUN = 15


def lines_of(path: Path) -> list[str]:
    """Whole lines alone: what follows the last newline was being written."""
    return path.read_text().splitlines(keepends=True)[: path.read_text().count("\n")] if path.exists() else []


class Robustness(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(DATA, self.folder / "data")
        self.journal, self.log = self.folder / "journal", self.folder / "log"
        self.table = self.folder / "data" / "matrix" / "evidence" / "native" / "libtorch-2.11.0-cpu.tsv"

    def enterContext(
        self, manager: contextlib.AbstractContextManager[str]
    ) -> str:  # unittest has it since 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def environment(self, **more: str) -> dict[str, str]:
        taken = {"ORDERCHECK_WORKER": str(WORKER), "XDG_CACHE_HOME": str(self.folder / "cache")}
        return {**os.environ, **taken, "HONEST_WORKER_LOG": str(self.log), **more}

    def command(self, *words: str) -> list[str]:
        rules = str(self.folder / "data" / "rules")
        return [
            str(PROGRAM),
            "matrix",
            "run",
            "--rules",
            rules,
            "--jobs",
            str(JOBS),
            "--journal",
            str(self.journal),
            *words,
        ]

    def ended(
        self, *words: str, limits: dict[int, int] | None = None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        def limit() -> None:
            for which, most in (limits or {}).items():
                resource.setrlimit(which, (most, most))

        return subprocess.run(
            self.command(*words),
            env=self.environment(**more),
            text=True,
            capture_output=True,
            timeout=120,
            preexec_fn=limit,
        )

    def mount(self, option: str, at: Path) -> None:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", option, "tmpfs", str(at)], capture_output=True, text=True
        )
        if made.returncode != 0:
            self.skipTest(f"no disk of its own can be made here: {made.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(at)], check=True)

    def begun(self) -> int:
        return len(lines_of(self.log))

    def assert_one_line(self, ended: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
        self.assertEqual(ended.returncode, code, ended.stderr)
        last = ended.stderr.splitlines()[-1]
        for word in words:
            self.assertIn(word, last)

    def test_a_kill_at_any_moment_loses_no_finished_run_and_repeats_at_most_those_under_way(self) -> None:
        began = time.monotonic()
        undisturbed = self.ended("--write", HONEST_WORKER_TAKES=str(MILLISECONDS_A_RUN))
        took = time.monotonic() - began
        whole, wanted, table = self.begun(), len(lines_of(self.journal)), self.table.read_bytes()
        self.assertEqual(whole, wanted, "each run is one line of the journal")
        self.journal.unlink()
        self.log.unlink()
        self.table.unlink()

        chance = random.Random(SEED)
        finished: list[str] = []
        moments = {"before the first run": 0, "in between": 0, "when all had run": 0}
        for _ in range(KILLS):
            running = subprocess.Popen(
                self.command("--write"),
                env=self.environment(HONEST_WORKER_TAKES=str(MILLISECONDS_A_RUN)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(chance.uniform(0, took))
            running.send_signal(signal.SIGKILL)
            running.wait()
            now = lines_of(self.journal)
            self.assertEqual(now[: len(finished)], finished, "what had finished is still there")
            finished = now
            if self.table.exists():
                self.assertEqual(self.table.read_bytes(), table, "the table is whole or not there")
            if len(now) == wanted:  # the next ones have something to lose again
                moments["when all had run"] += 1
                finished = []
                self.journal.unlink()
                self.table.unlink(missing_ok=True)
            else:
                moments["in between" if now else "before the first run"] += 1
        time.sleep(MILLISECONDS_A_RUN / 1000 * 4)  # the workers of the last one end by themselves

        resumed = self.ended("--write")
        self.assertEqual(resumed.stdout, undisturbed.stdout)
        self.assertEqual(resumed.returncode, undisturbed.returncode)
        self.assertEqual(self.table.read_bytes(), table)
        self.assertEqual(len(lines_of(self.journal)), wanted)
        needed = wanted * (1 + moments["when all had run"])
        self.assertLessEqual(self.begun(), needed + KILLS * JOBS)
        print(
            f"{KILLS} kills, seed {SEED}: {moments}; {self.begun()} runs begun, {needed} needed",
            file=sys.stderr,
        )

    def test_a_journal_that_meets_a_limit_keeps_its_whole_lines_and_is_gone_on_with(self) -> None:
        self.assert_one_line(
            self.ended(limits={resource.RLIMIT_FSIZE: 8192}), 3, "cannot write line", str(self.journal)
        )
        kept = lines_of(self.journal)
        self.assertEqual("".join(kept), self.journal.read_text(), "no half line is left")
        self.assertGreater(len(kept), 0)
        again = self.ended()
        self.assertIn(f"{len(kept)} of ", again.stderr)
        self.assertEqual(lines_of(self.journal)[: len(kept)], kept)

    def test_a_full_disk_is_one_line(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        self.mount("size=16k", disk)
        self.journal = disk / "journal"
        self.assert_one_line(self.ended(), 3, "cannot write line", "No space left on device")
        self.assertEqual("".join(lines_of(self.journal)), self.journal.read_text())

    def test_an_output_that_cannot_be_written_is_one_line(self) -> None:
        with open("/dev/full", "w") as full:
            ended = subprocess.run(
                self.command("--write"),
                env=self.environment(),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=120,
            )
        self.assert_one_line(ended, 2, "cannot write the output: No space left on device")
        self.assertTrue(self.table.exists(), "what was seen is written before it is told")

    def test_a_table_that_cannot_be_written_is_left_as_it_is(self) -> None:
        self.ended("--write")
        before = self.table.read_bytes()
        breaks = {"HONEST_WORKER_BREAKS": "tp=4"}
        ended = self.ended("--write", "--fresh", limits={resource.RLIMIT_FSIZE: len(before) // 2}, **breaks)
        self.assertNotEqual(ended.returncode, 0)
        self.assertEqual(self.table.read_bytes(), before)
        self.assertEqual(
            [each.name for each in self.table.parent.iterdir()],
            [self.table.name],
            "nothing half written is left",
        )

    def test_a_folder_that_cannot_be_written_is_said_before_anything_runs(self) -> None:
        evidence = self.table.parent.parent
        evidence.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:  # may write anywhere but on a disk that nobody writes on
            self.mount("ro", evidence)
        else:
            evidence.chmod(0o500)
            self.addCleanup(evidence.chmod, 0o700)
        self.assert_one_line(self.ended("--write"), 2, "ordercheck matrix", str(evidence), "cannot write")
        self.assertEqual(self.begun(), 0)

    def test_a_second_run_on_one_journal_says_that_it_is_taken(self) -> None:
        first = subprocess.Popen(
            self.command(),
            env=self.environment(HONEST_WORKER_TAKES="200"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        while not self.log.exists():
            time.sleep(0.01)
        second = self.ended()
        first.communicate(timeout=120)
        self.assert_one_line(second, 2, "another ordercheck has it open")
        self.assertEqual(first.returncode, self.ended().returncode, "the first goes on undisturbed")

    def test_a_journal_of_another_version_is_refused_and_kept(self) -> None:
        self.journal.write_text('{"journal":0,"key":{},"record":{}}\n')
        self.assert_one_line(self.ended(), 2, "line 1 is not as it was written", "--fresh")
        self.assertEqual(self.journal.read_text(), '{"journal":0,"key":{},"record":{}}\n')

    def test_a_worker_that_runs_out_of_memory_ends_its_own_case_alone(self) -> None:
        eats = self.ended(limits={resource.RLIMIT_AS: 512 << 20}, HONEST_WORKER_EATS="tp=4")
        rows = {
            line.split()[0]: line for line in eats.stdout.splitlines() if line.startswith(("tp=", "fsdp="))
        }
        told = rows.pop("tp=4")
        self.assertIn("fails", told)
        self.assertIn("bad_alloc", told)
        self.assertEqual({line.split()[1] for line in rows.values()}, {"equal"}, eats.stdout)

    def test_a_program_without_memory_is_one_line(self) -> None:
        ended = subprocess.run(
            [str(PROGRAM), "check", "fsdp=2,tp=2"],  # by the rules beside the program
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (3 << 20, 3 << 20)),
            capture_output=True,
            text=True,
        )
        if ended.returncode == 1:
            self.skipTest("this machine grants more memory than the limit says")
        self.assert_one_line(ended, 2, "there is not enough memory")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
