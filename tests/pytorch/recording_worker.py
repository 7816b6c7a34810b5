"""The worker with a recorder in each rank: a case leaves its recording in the file that RECORDING names."""

import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src/drivers/pytorch"), str(ROOT / "src/python/ordercheck/recorder")]

from ordercheck_pytorch.worker import rank_process  # noqa: E402
from ordercheck_pytorch.worker.program import RealProgram  # noqa: E402
from ordercheck_pytorch.worker.serve import serve  # noqa: E402
from ordercheck_recorder import Writer  # noqa: E402

run = rank_process._run


def run_and_record(*arguments: Any) -> Any:
    writer = Writer(os.environ["RECORDING"])
    writer.start()
    try:
        return run(*arguments)
    finally:
        writer.close()


rank_process._run = run_and_record

sys.exit(serve(RealProgram))
