"""The worker of the preset cuda, started: it says which devices it has, or in the driver's words why it has no GPU, and
refuses an environment in which cuBLAS would emulate float64. Usage: worker_test.py WORKER"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest

WORKER = ""
SAID: list[str] = []  # printed last


def started(text: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([WORKER], input=text, env=environment, capture_output=True, text=True, timeout=300)


class WorkerTest(unittest.TestCase):
    def test_says_its_devices_or_why_there_is_no_gpu(self) -> None:
        ended = started()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        hello = json.loads(ended.stdout)
        self.assertEqual(hello["devices"][0], "cpu")
        if "cuda" in hello["devices"]:
            self.assertEqual(hello["absent_device"], "")
        else:
            self.assertRegex(hello["absent_device"], r"^no CUDA device: \w.*")
        SAID.append(f"devices: {' '.join(hello['devices'])} ({hello['absent_device']})")

    def test_refuses_emulated_float64_in_one_line(self) -> None:
        ended = started(CUBLAS_EMULATE_DOUBLE_PRECISION="1")
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(ended.stdout, "")
        self.assertEqual(
            ended.stderr,
            "ordercheck-ranks: CUBLAS_EMULATE_DOUBLE_PRECISION=1: expected 0 or nothing, since an emulated product is"
            " not one of that precision\n",
        )

    def test_says_what_its_numbers_come_from(self) -> None:
        hello = json.loads(started(ORDERCHECK_WORLD="nccl").stdout)
        versions = " ".join(hello["versions"])
        for owed in ("libtorch ", "nccl processes", "cuda ", "cublas ", "CUBLAS_EMULATE_DOUBLE_PRECISION=0"):
            self.assertIn(owed, versions)


if __name__ == "__main__":
    WORKER = sys.argv.pop(1)
    passed = unittest.main(exit=False).result.wasSuccessful()
    sys.stderr.flush()
    print(*SAID, sep="\n", flush=True)
    sys.exit(not passed)
