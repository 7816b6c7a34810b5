"""What programs do between transforms, each with its bug and without it. mesh is None on one rank."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(16, 32, bias=False), nn.Linear(32, 16, bias=False)

    def forward(self, x, table):
        return x + self.down(F.silu(self.up(x * table)))


class Model(nn.Module):
    def __init__(self, tied=False):
        super().__init__()
        self.embed, self.head = nn.Embedding(120, 16), nn.Linear(16, 120, bias=False)
        self.layers = nn.ModuleList([Block(), Block()])
        self.register_buffer("table", table(), persistent=False)
        if tied:
            nn.init.uniform_(self.embed.weight, -1, 1)
            self.head.weight = self.embed.weight

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.layers:
            x = block(x, self.table)
        return self.head(x)


def table():
    return torch.arange(1, 17, dtype=torch.float32) / 16


def model():
    return Model()


def tied():
    return Model(tied=True)


def shard(model, mesh):
    for block in model.layers:
        fully_shard(block, mesh=mesh["dp_shard"])
    fully_shard(model, mesh=mesh["dp_shard"])


def tied_apart(model, mesh):
    if mesh is not None:
        fully_shard(model.embed, mesh=mesh["dp_shard"])
        fully_shard(model.head, mesh=mesh["dp_shard"])
        shard(model, mesh)


def tied_together(model, mesh):
    if mesh is not None:
        fully_shard([model.embed, model.head], mesh=mesh["dp_shard"])
        shard(model, mesh)


def on_meta(model, mesh):
    """Shards the model on the meta device, then gives it memory and the values that it was built with."""
    values = model.state_dict()
    model.to("meta")
    shard(model, mesh)
    model.to_empty(device="cpu")
    set_model_state_dict(model, values, options=StateDictOptions(full_state_dict=True))


def buffer_lost(model, mesh):
    if mesh is not None:
        on_meta(model, mesh)
        model.table.fill_(1)  # what memory of to_empty happens to hold


def buffer_kept(model, mesh):
    if mesh is not None:
        on_meta(model, mesh)
        model.table.copy_(table())


def loads_whole_into_shards(model, mesh):
    if mesh is not None:
        values = {name: value.clone() for name, value in model.state_dict().items()}
        shard(model, mesh)
        model.load_state_dict(values)


def loads_before_sharding(model, mesh):
    if mesh is not None:
        values = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict(values)
        shard(model, mesh)


def warm(model, mesh):
    """A loss before training, and the optimizer after it."""
    if mesh is not None:
        shard(model, mesh)
        with torch.no_grad():
            model(torch.zeros(2, 24, dtype=torch.int64))


def warm_and_reshard(model, mesh):
    if mesh is not None:
        warm(model, mesh)
        model.reshard()


def with_gradients(model, mesh):
    if mesh is not None:
        shard(model, mesh)
        model(torch.zeros(2, 24, dtype=torch.int64))
