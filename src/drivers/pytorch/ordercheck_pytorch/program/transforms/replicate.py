"""replicate: composable data parallel, which changes the module in place. This is the one that is built on FSDP2 where the
release has it, and else the one built on DDP."""

from __future__ import annotations

from torch.distributed.fsdp import FSDPModule

from ...torch_compat import is_replicate_built_on_fsdp, replicate_with_ddp, replicate_with_fsdp
from ..case import Item
from .averaged_gradients import cannot_average
from .program import Broadcast, Program, Site, degree, layers_of
from .summed_gradients import sum_gradients
from .transform import Transform


def apply_replicate(program: Program, item: Item, site: Site) -> None:
    mesh = site.axis("dp_replicate")
    if not is_replicate_built_on_fsdp():
        replicate_with_ddp(program.model, mesh.get_group())
        program.gradient_factor *= degree(item)
        return
    for module in [*layers_of(program.model).values(), program.model]:
        replicate_with_fsdp(module, mesh)
        if isinstance(module, FSDPModule):
            sum_gradients(module)
    program.gradient_factor = 1.0  # its parameters are others than those that a wrapper before it averages


def broadcast_by_replicate(program: Program, item: Item) -> Broadcast:
    """The one that is built on DDP sends all parameters before the first forward. FSDP2, hsdp too, takes what each rank holds
    and sends nothing: its ranks have to start alike."""
    sent = [] if is_replicate_built_on_fsdp() else list(program.model.parameters())
    return Broadcast("dp_replicate", sent)


REPLICATE = Transform(
    apply_replicate, cannot=cannot_average, broadcasts=broadcast_by_replicate, sends_every_parameter=True
)
