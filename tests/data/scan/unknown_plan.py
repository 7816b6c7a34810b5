from torch.distributed.tensor.parallel import parallelize_module
from torch.distributed.fsdp import fully_shard
from plans import get_plan

def build(model, mesh):
    for block in model.layers:
        block.compile()
    parallelize_module(model, mesh["tp"], get_plan())
    for block in model.layers:
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    return model
