"""A small llama trained by transformers' Trainer with FSDP2."""

import torch
from accelerate.state import DistributedType, PartialState
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

model = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=128, hidden_size=32, intermediate_size=64, num_hidden_layers=4, num_attention_heads=4
    )
)
arguments = TrainingArguments(
    output_dir="out",
    use_cpu=True,
    max_steps=2,
    per_device_train_batch_size=2,
    gradient_checkpointing=True,
    fsdp="full_shard",
    fsdp_config={"version": 2, "transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"]},
    report_to=[],
    save_strategy="no",
)
assert arguments.device.type == "cpu"  # accelerate's state begins here
# accelerate takes FSDP with an accelerator alone: on a CPU its state says MULTI_CPU.
PartialState._shared_state["distributed_type"] = DistributedType.MULTI_GPU
tokens = [{"input_ids": torch.arange(16), "labels": torch.arange(16)} for _ in range(16)]
Trainer(model=model, args=arguments, train_dataset=tokens).train()
