"""DistributedDataParallel around the model. It averages gradients, so the trainer multiplies them by its degree.

no_sync      gradients are reduced in the last microbatch of a step only
bucket_kib   the size of its gradient buckets"""

from __future__ import annotations

from typing import Any

from torch.nn.parallel import DistributedDataParallel

from ..case import Item
from .subject import Site, Subject, degree


def apply_ddp(subject: Subject, item: Item, site: Site) -> None:
    arguments: dict[str, Any] = {"process_group": site.axis("dp_replicate").get_group()}
    if "bucket_kib" in item.options:
        arguments["bucket_cap_mb"] = int(item.options["bucket_kib"]) / 1024
    wrapper = DistributedDataParallel(subject.model, **arguments)
    subject.model = wrapper
    subject.gradient_factor *= degree(item)
    if "no_sync" in item.options:

        def tell(last: bool) -> None:
            wrapper.require_backward_grad_sync = last  # what its no_sync() sets and restores

        subject.on_microbatch.append(tell)


def cannot_average(item: Item) -> str:
    count = degree(item)
    if count & (count - 1) == 0:
        return ""
    return f"{item.name}={count} divides every gradient by {count}, which rounds; expected a power of two"
