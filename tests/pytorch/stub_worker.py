"""The worker with the stub program in place of the real one."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src/drivers/pytorch")]

from ordercheck_pytorch.worker.serve import serve  # noqa: E402


def stub_program() -> object:
    from stub_program import Program

    return Program()


sys.exit(serve(stub_program))
