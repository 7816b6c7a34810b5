"""An example for scanning.md: what `ordercheck scan` finds in it, and what `ordercheck check` says of it."""

import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP


def checkpoint_blocks(model):
    for name, block in model.layers.named_children():
        model.layers.register_module(name, checkpoint_wrapper(block))


def setup(model, config, registry):
    if config.shard:
        for block in model.layers:
            fully_shard(block, reshard_after_forward=False)
        fully_shard(model)
    else:
        model = DDP(model)
    checkpoint_blocks(model)
    if config.compile:
        for block in model.layers:
            block.compile()
    registry[config.kind](model)
    return torch.optim.AdamW(model.parameters(), lr=3e-4)
