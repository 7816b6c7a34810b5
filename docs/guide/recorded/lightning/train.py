"""A Lightning module that shards itself, under ModelParallelStrategy."""

import lightning
import torch
from lightning.pytorch.strategies import ModelParallelStrategy
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Linear(16, 64)
        self.w2 = nn.Linear(64, 16)

    def forward(self, x):
        return x + self.w2(torch.relu(self.w1(x)))


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Block() for _ in range(4))

    def configure_model(self):
        mesh = self.device_mesh
        for block in self.layers:
            parallelize_module(
                block, mesh["tensor_parallel"], {"w1": ColwiseParallel(), "w2": RowwiseParallel()}
            )
            fully_shard(block, mesh=mesh["data_parallel"])
        fully_shard(self, mesh=mesh["data_parallel"])

    def training_step(self, batch):
        for block in self.layers:
            batch = block(batch)
        return batch.square().mean()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


trainer = lightning.Trainer(
    accelerator="cpu",
    devices=2,
    strategy=ModelParallelStrategy(data_parallel_size=1, tensor_parallel_size=2),
    max_steps=2,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Module(), torch.utils.data.DataLoader(torch.randn(8, 2, 16), batch_size=None))
