"""scripts/gpu-check where there is no GPU, and with toys in the place of one: what it refuses, what it packs, and that a step
that failed or showed nothing is told. Usage: gpu_check_test.py SCRIPT"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path()
PROGRAMS = ("ordercheck", "ordercheck-ranks", "native_cuda_test", "exact-conformance")


def write_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


class GpuCheckTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.checkout, self.path = self.folder / "checkout", self.folder / "path"
        (self.checkout / "scripts").mkdir(parents=True)
        shutil.copy(SCRIPT, self.checkout / "scripts" / "gpu-check")
        git = ["git", "-C", str(self.checkout), "-c", "user.name=toy", "-c", "user.email=toy@example.org"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "toy"]):
            subprocess.run([*git, *command], check=True)
        self.torch = self.folder / "python" / "lib" / "python3" / "site-packages" / "torch"
        (self.torch / "lib").mkdir(parents=True)
        (self.torch / "lib" / "libtorch_cuda.so").touch()
        self.binaries = self.folder / "programs"
        self.binaries.mkdir()
        for name in PROGRAMS:
            write_program(self.binaries / name, "echo a result")
        self.path.mkdir()

    def run_script(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": f"{self.path}:{os.environ['PATH']}"}
        return subprocess.run(
            [str(self.checkout / "scripts" / "gpu-check"), *arguments],
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
        )

    def check(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run_script("--torch", str(self.torch), "--binaries", str(self.binaries), *arguments)

    def expect_refused(self, line: str, *arguments: str) -> None:
        ended = self.run_script(*arguments)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (2, "", f"gpu-check: {line}\n"))
        self.assertFalse((self.checkout / "build").exists())

    def test_refuses_what_it_does_not_know(self) -> None:
        self.expect_refused("expected --torch FOLDER, or --pack ARCHIVE")
        self.expect_refused(
            "expected --torch, --binaries, --only, --pack or --limit, got '--gpu'", "--gpu", "0"
        )
        self.expect_refused("--torch: expected a value, got none", "--torch")
        self.expect_refused(
            "--torch: expected lib/libtorch_cuda.so in '/nowhere', found none", "--torch", "/nowhere"
        )
        self.expect_refused(
            "--limit: expected a whole number of MiB, got 'much'", "--pack", "x", "--limit", "much"
        )
        steps = "canary kernels conformance sanitizer threads nccl pytorch"
        self.expect_refused(
            f"--only: expected some of {steps}, got 'all'", "--torch", str(self.torch), "--only", "all"
        )
        self.expect_refused(
            "expected one of --torch and --pack, got both", "--torch", str(self.torch), "--pack", "x"
        )

    def test_says_in_the_words_of_the_driver_that_there_is_no_gpu(self) -> None:
        write_program(self.path / "nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9")
        self.expect_refused("no GPU (NVIDIA-SMI has failed): nothing was run", "--torch", str(self.torch))
        write_program(self.path / "nvidia-smi", "exit 0")
        self.expect_refused("no GPU (nvidia-smi lists none): nothing was run", "--torch", str(self.torch))

    @unittest.skipIf(shutil.which("nvidia-smi"), "nvidia-smi is here")
    def test_runs_nothing_without_a_driver(self) -> None:
        self.expect_refused("no GPU (nvidia-smi is not there): nothing was run", "--torch", str(self.torch))

    def test_packs_the_checkout_and_programs(self) -> None:
        archive = self.folder / "packed.tar.xz"
        ended = self.run_script("--pack", str(archive), "--binaries", str(self.binaries))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        with tarfile.open(archive) as packed:
            names = set(packed.getnames())
        self.assertLessEqual(
            {"ordercheck/scripts/gpu-check", *(f"ordercheck/bin/{name}" for name in PROGRAMS)}, names
        )

    def test_packs_nothing_that_is_too_large_or_not_whole(self) -> None:
        archive = self.folder / "packed.tar.xz"
        with (self.binaries / "ordercheck").open("ab") as program:
            program.write(os.urandom(2 << 20))
        ended = self.run_script("--pack", str(archive), "--binaries", str(self.binaries), "--limit", "1")
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(ended.stderr, "gpu-check: --pack: 3 MiB, expected at most 1; nothing was written\n")
        (self.binaries / "ordercheck").unlink()
        ended = self.run_script("--pack", str(archive), "--binaries", str(self.binaries))
        self.assertIn("--binaries: expected ordercheck in", ended.stderr)
        self.assertFalse(archive.exists())

    def with_toy_gpu(self) -> None:
        write_program(self.path / "nvidia-smi", '[[ $1 == -L ]] && echo "GPU 0: a toy" || echo 17')

    def table(self) -> dict[str, str]:
        lines = (self.checkout / "build" / "gpu-check" / "table.tsv").read_text().splitlines()
        return {line.split("\t")[0]: line.split("\t")[1] for line in lines[1:]}

    def test_tells_of_every_step(self) -> None:
        self.with_toy_gpu()
        ended = self.check()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        table = self.table()
        self.assertEqual(
            list(table), ["canary", "kernels", "conformance", "sanitizer", "threads", "nccl", "pytorch"]
        )
        self.assertEqual(table["threads"], "passed")
        self.assertEqual(table["nccl"], "skipped: one GPU, and a world of NCCL has two ranks or more")
        self.assertTrue(table["pytorch"].startswith("skipped: no Python at "))

    def test_a_step_that_fails_or_skips_its_tests_is_told(self) -> None:
        self.with_toy_gpu()
        write_program(self.binaries / "native_cuda_test", "echo '[  SKIPPED ] all'")
        write_program(self.binaries / "ordercheck", "exit 1")
        ended = self.check("--only", "kernels,threads")
        self.assertEqual(ended.returncode, 1)
        table = self.table()
        self.assertEqual((table["kernels"], table["threads"]), ("failed (1)", "failed (1)"))
        self.assertEqual(table["canary"], "skipped: not asked for")

    def test_layouts_with_other_bits_fail_conformance(self) -> None:
        self.with_toy_gpu()
        write_program(self.binaries / "exact-conformance", 'printf "mm\\t%s\\t1\\n" "$2"')
        self.assertEqual(self.check("--only", "conformance").returncode, 1)
        self.assertEqual(self.table()["conformance"], "failed (1)")


if __name__ == "__main__":
    SCRIPT = Path(sys.argv.pop(1))
    unittest.main()
