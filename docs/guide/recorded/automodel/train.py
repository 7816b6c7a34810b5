"""A small llama of transformers that NeMo AutoModel's ModelParallelizer splits, checkpoints and shards, and then compiles."""

from functools import partialmethod

import torch
import torch.distributed as dist
from nemo_automodel.components.distributed.config import FSDP2Config
from nemo_automodel.components.distributed.mesh import MeshContext, ParallelismSizes
from nemo_automodel.components.distributed.mesh_utils import _create_fsdp2_device_mesh
from nemo_automodel.components.distributed.model_parallelizer import (
    compile_parallelized_model,
    parallelize_model,
)
from nemo_automodel.components.loss.masked_ce import MaskedCrossEntropy
from torch.distributed.fsdp import MixedPrecisionPolicy
from transformers import LlamaConfig, LlamaForCausalLM

# inductor would build C++ kernels on each rank
torch.nn.Module.compile = partialmethod(torch.nn.Module.compile, backend="aot_eager")
dist.init_process_group("gloo")
model = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=4,
        num_attention_heads=4,
        tie_word_embeddings=False,
        use_cache=False,
    )
)
sizes = ParallelismSizes(tp_size=2, cp_size=1, pp_size=1, ep_size=1, dp_replicate_size=1, dp_size=2)
mesh, _ = _create_fsdp2_device_mesh(sizes, world_size=4)
dtype = torch.float32
context = MeshContext.from_meshes(
    mesh,
    strategy_config=FSDP2Config(enable_compile=True, mp_policy=MixedPrecisionPolicy(dtype, dtype)),
    activation_checkpointing=True,
)
model = parallelize_model(model, context)
compile_parallelized_model(model, context)
optimizer = torch.optim.AdamW(model.parameters())
tokens = torch.arange(16).repeat(2, 1)
loss = MaskedCrossEntropy()
for _ in range(2):
    loss(model(input_ids=tokens).logits, tokens).backward()
    optimizer.step()
    optimizer.zero_grad()
