"""A small OLMo 2 that parallelize_model of OLMo-core splits, checkpoints, compiles and shards."""

import sys
from functools import partialmethod
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

import torch

for name in ("bettermap", "cached_path", "cached_path.schemes"):  # download and read files
    sys.modules[name] = ModuleType(name)
sys.modules["bettermap"].ordered_map_per_thread = None
sys.modules["cached_path"].cached_path = None
sys.modules["cached_path.schemes"].S3Client = SimpleNamespace(recoverable_errors=())
sys.modules["cached_path.schemes"].add_scheme_client = None
sys.modules["cached_path.schemes"].SchemeClient = object

from olmo_core.distributed.parallel import DataParallelType, build_world_mesh  # noqa: E402
from olmo_core.distributed.utils import init_distributed  # noqa: E402
from olmo_core.nn.transformer import TransformerActivationCheckpointingMode, TransformerConfig  # noqa: E402
from olmo_core.train.train_module.transformer import common, config  # noqa: E402

# inductor would build C++ kernels on each rank
torch.nn.Module.compile = partialmethod(torch.nn.Module.compile, backend="aot_eager")
init_distributed(backend="gloo")
model = TransformerConfig.olmo2_30M(vocab_size=128, n_layers=2).build(init_device="meta")
dp = config.TransformerDataParallelConfig(name=DataParallelType.fsdp)
tp = config.TransformerTensorParallelConfig(degree=2)
with patch.object(common.torch.cuda, "is_available", lambda: True):  # it compiles with CUDA alone
    model = common.parallelize_model(
        model,
        world_mesh=build_world_mesh(dp=dp, tp=tp, device_type="cpu"),
        device=torch.device("cpu"),
        max_sequence_length=16,
        compile_model=True,
        dp_config=dp,
        tp_config=tp,
        ac_config=config.TransformerActivationCheckpointingConfig(
            mode=TransformerActivationCheckpointingMode.full
        ),
    )
# No step: with these four together the first backward fails (CLA-066).
