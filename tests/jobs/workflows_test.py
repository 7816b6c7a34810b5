"""The workflow files of docs/guide/ci, run as their systems run them: shards in any order give the table of the whole matrix.

    python3 workflows_test.py ORDERCHECK HONEST_WORKER SOURCE

ORDERCHECK is the program, HONEST_WORKER the worker that answers as a sound engine would, SOURCE the checkout. Needs PyYAML."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import yaml

ORDERCHECK, HONEST_WORKER, SOURCE = (Path(word).resolve() for word in sys.argv[1:4])
GUIDE = SOURCE / "docs/guide/ci"


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/usr/bin/env bash\n" + text)
    path.chmod(0o755)


class Workflows(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ordercheck-jobs-"))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(SOURCE / "tests/cli/data", self.folder / "checkout")
        program(self.folder / "checkout/scripts/ordercheck", f'exec "{ORDERCHECK}" "$@" --rules rules\n')
        whole = self.ran("scripts/ordercheck matrix run --fresh --out whole.tsv")
        self.assertEqual(
            whole.returncode, 1, whole.stderr
        )  # the data's rule predicts what an honest engine does not show
        self.whole = (self.folder / "checkout/whole.tsv").read_text()
        self.assertIn("fsdp=2,tp=2", self.whole)

    def ran(self, script: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "ORDERCHECK_WORKER": str(HONEST_WORKER),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "ENGINE": "native",
            **more,
        }
        return subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=self.folder / "checkout",
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def passed(self, script: str, **more: str) -> str:
        done = self.ran(script, **more)
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout

    def assert_merged(self, script: str) -> None:
        done = self.ran(script)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)  # as the whole
        self.assertEqual((self.folder / "checkout/merged.tsv").read_text(), self.whole)

    def test_github(self) -> None:
        jobs = yaml.safe_load((GUIDE / "github-actions.yml").read_text())["jobs"]
        steps = {name: [one["run"] for one in job["steps"] if "run" in one] for name, job in jobs.items()}
        for shard in reversed(jobs["run"]["strategy"]["matrix"]["shard"]):
            self.passed(steps["run"][0], SHARD=shard)
        self.assert_merged(steps["merge"][0])

    def test_gitlab(self) -> None:
        jobs: dict[str, Any] = yaml.safe_load((GUIDE / "gitlab-ci.yml").read_text())
        total = jobs["matrix"]["parallel"]
        for index in range(1, total + 1):
            self.passed(
                "\n".join(jobs["matrix"]["script"]), CI_NODE_INDEX=str(index), CI_NODE_TOTAL=str(total)
            )
        self.assert_merged("\n".join(jobs["merge"]["script"]))

    def test_slurm(self) -> None:
        # srun, but for its own options, is what it starts.
        program(self.folder / "bin/srun", 'while [[ $1 == -* ]]; do shift; done\nexec "$@"\n')
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        for task in range(1, 5):
            self.passed(
                f"bash {GUIDE}/slurm.sbatch",
                PATH=path,
                SLURM_ARRAY_TASK_ID=str(task),
                SLURM_ARRAY_TASK_MAX="4",
            )
        self.assert_merged("scripts/ordercheck matrix merge part-*.tsv --out merged.tsv")

    def test_a_shard_that_is_missing_is_named(self) -> None:
        for shard in ("1", "3"):
            self.ran(f"scripts/ordercheck matrix run --shard {shard}/3 --fresh --out part-{shard}.tsv")
        done = self.ran("scripts/ordercheck matrix merge part-*.tsv --out merged.tsv")
        self.assertIn(done.returncode, (1, 3), done.stdout + done.stderr)
        self.assertIn("2/3", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
