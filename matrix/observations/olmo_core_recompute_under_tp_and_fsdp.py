"""OLMo-core's own order of tensor parallelism, full checkpointing, compile and FSDP2 fails in its first backward.

torchrun --nproc-per-node 4 olmo_core_recompute_under_tp_and_fsdp.py

Needs ai2-olmo-core 3.0.0 and torch. parallelize_model builds a small OLMo 2 on CPU ranks over gloo, with all four and with each
one left out."""

import sys
from functools import partialmethod
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

import torch
import torch.distributed as dist

for name in ("bettermap", "cached_path", "cached_path.schemes"):  # read and download files
    sys.modules[name] = ModuleType(name)
sys.modules["bettermap"].ordered_map_per_thread = None
sys.modules["cached_path"].cached_path = None
sys.modules["cached_path.schemes"].S3Client = SimpleNamespace(recoverable_errors=())
sys.modules["cached_path.schemes"].add_scheme_client = None
sys.modules["cached_path.schemes"].SchemeClient = object

from olmo_core.distributed import parallel  # noqa: E402
from olmo_core.nn.transformer import TransformerActivationCheckpointingMode, TransformerConfig  # noqa: E402
from olmo_core.train.train_module.transformer import common, config  # noqa: E402

# inductor would build C++ kernels on each rank
torch.nn.Module.compile = partialmethod(torch.nn.Module.compile, backend="aot_eager")


def step(without):
    parallel._WORLD_MESH = None  # a process has one
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = TransformerConfig.olmo2_30M(vocab_size=128, n_layers=2).build(init_device="meta")
    dp = config.TransformerDataParallelConfig(name=parallel.DataParallelType.fsdp)
    tp = None if without == "tp" else config.TransformerTensorParallelConfig(degree=2)
    full = TransformerActivationCheckpointingMode.full
    with patch.object(common.torch.cuda, "is_available", lambda: True):  # it compiles with CUDA alone
        model = common.parallelize_model(
            model,
            world_mesh=parallel.build_world_mesh(dp=dp, tp=tp, device_type="cpu"),
            device=torch.device("cpu"),
            max_sequence_length=16,
            compile_model=without != "compile",
            dp_config=None if without == "fsdp" else dp,
            tp_config=tp,
            ac_config=None if without == "ac" else config.TransformerActivationCheckpointingConfig(mode=full),
        )
    tokens = torch.arange(16).repeat(2, 1)
    model(tokens, labels=tokens, return_logits=False).loss.backward()


dist.init_process_group("gloo")
for left_out in ("compile", "ac", "tp", "fsdp", ""):
    try:
        step(left_out)
        shown = "a step runs"
    except torch.utils.checkpoint.CheckpointError as error:
        shown = str(error).splitlines()[0]
    if dist.get_rank() == 0:
        print(f"without {left_out or 'nothing'}: {shown}", flush=True)
