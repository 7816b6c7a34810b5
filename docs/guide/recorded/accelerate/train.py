"""A small llama that Accelerator.prepare checkpoints, compiles and shards with FSDP2."""

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from accelerate.state import DistributedType, PartialState
from accelerate.utils import TorchDynamoPlugin
from transformers import LlamaConfig, LlamaForCausalLM

PartialState(cpu=True)
# accelerate takes FSDP with an accelerator alone: on a CPU its state says MULTI_CPU.
PartialState._shared_state["distributed_type"] = DistributedType.MULTI_GPU
accelerator = Accelerator(
    cpu=True,
    fsdp_plugin=FullyShardedDataParallelPlugin(
        fsdp_version=2,
        auto_wrap_policy="transformer_based_wrap",
        transformer_cls_names_to_wrap=["LlamaDecoderLayer"],
        activation_checkpointing=True,
        cpu_ram_efficient_loading=False,
    ),
    dynamo_plugin=TorchDynamoPlugin(backend="aot_eager", use_regional_compilation=True),
)
model = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=128, hidden_size=32, intermediate_size=64, num_hidden_layers=4, num_attention_heads=4
    )
)
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters()))
tokens = torch.arange(16).repeat(2, 1)
for _ in range(2):
    accelerator.backward(model(input_ids=tokens, labels=tokens).loss)
    optimizer.step()
    optimizer.zero_grad()
