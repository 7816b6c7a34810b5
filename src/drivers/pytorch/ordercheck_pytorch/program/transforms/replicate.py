"""replicate: composable data parallel, which changes the module in place. Since torch 2.10 torch.distributed._composable
has two of that name; this is the one that is built on FSDP2 where the version has it, and else the one built on DDP."""

from __future__ import annotations

from torch.distributed.fsdp import FSDPModule

from ..case import Item
from .subject import Site, Subject, degree, layers_of
from .summed_gradients import sum_gradients


def apply_replicate(subject: Subject, item: Item, site: Site) -> None:
    mesh = site.axis("dp_replicate")
    try:
        from torch.distributed._composable.replicate_with_fsdp import replicate
    except ImportError:
        from torch.distributed._composable.replicate import replicate as replicate_with_ddp

        replicate_with_ddp(subject.model, process_group=mesh.get_group())
        subject.gradient_factor *= degree(item)
        return
    for module in [*layers_of(subject.model).values(), subject.model]:
        replicate(module, mesh=mesh)
        if isinstance(module, FSDPModule):
            sum_gradients(module)
