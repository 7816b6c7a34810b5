from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard

def build(model, mesh):
    for block in model.layers:
        block.compile()
    parallelize_module(model, mesh["tp"], {"tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)), "layers.*.attention.wq": ColwiseParallel()})
    for block in model.layers:
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    return model
