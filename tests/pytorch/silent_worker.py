"""The worker with transforms that never send the first rank's values: DDP is told init_sync=False,
parallelize_module src_data_rank=None."""

import functools
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "src/drivers/pytorch")]

from ordercheck_pytorch.worker.program import RealProgram  # noqa: E402
from ordercheck_pytorch.worker.serve import serve  # noqa: E402


def silent_program() -> object:
    from ordercheck_pytorch.program.transforms import ddp, tp

    ddp.DistributedDataParallel = functools.partial(ddp.DistributedDataParallel, init_sync=False)  # type: ignore
    tp.parallelize_module = functools.partial(tp.parallelize_module, src_data_rank=None)  # type: ignore
    return RealProgram()


sys.exit(serve(silent_program))
