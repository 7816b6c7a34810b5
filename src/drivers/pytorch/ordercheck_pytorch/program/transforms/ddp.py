"""DistributedDataParallel around the model. It averages gradients, so the trainer multiplies them by its degree.

device_mesh  it is given its axis of the mesh, not that axis' process group
no_sync      gradients are reduced in the last microbatch of a step only
bucket_kib   the size of its gradient buckets"""

from __future__ import annotations

from typing import Any

from torch.nn.parallel import DistributedDataParallel

from ..case import Item
from .averaged_gradients import cannot_average
from .program import Broadcast, Program, Site, degree
from .transform import Transform


def apply_ddp(program: Program, item: Item, site: Site) -> None:
    mesh = site.axis("dp_replicate")
    arguments: dict[str, Any] = (
        {"device_mesh": mesh} if "device_mesh" in item.options else {"process_group": mesh.get_group()}
    )
    if "bucket_kib" in item.options:
        arguments["bucket_cap_mb"] = int(item.options["bucket_kib"]) / 1024
    wrapper = DistributedDataParallel(program.model, **arguments)
    program.model = wrapper
    program.gradient_factor *= degree(item)
    if "no_sync" in item.options:

        def tell(last: bool) -> None:
            wrapper.require_backward_grad_sync = last  # what its no_sync() sets and restores

        program.on_microbatch.append(tell)


def broadcast_by_ddp(program: Program, item: Item) -> Broadcast:
    """Its constructor sends the parameters that it finds then, unless it is told init_sync=False."""
    return Broadcast("dp_replicate", list(program.model.parameters()))


DDP = Transform(
    apply_ddp,
    ("no_sync", "bucket_kib", "device_mesh"),
    cannot=cannot_average,
    broadcasts=broadcast_by_ddp,
    sends_every_parameter=True,
)
