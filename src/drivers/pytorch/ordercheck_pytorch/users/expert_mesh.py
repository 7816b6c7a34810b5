"""The mesh of a user's function whose stack has `ep`, as torchtitan's ParallelDims lays it out.

    axes        pp, dp_replicate, dp_shard_mod_ep, dp_shard_in_ep, cp, tp; of those of one rank only dp_shard_mod_ep
    flattened   dp_shard = dp_shard_mod_ep * dp_shard_in_ep
                ep       = dp_shard_in_ep * cp * tp, or dp_shard_in_ep * cp if tensor parallelism splits experts too (ep:etp)
                etp      = tp, with ep:etp

Ranks of ep have other experts; those of dp_shard_mod_ep have the same ones."""

from __future__ import annotations

from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from ..program.apply import degrees_of, make_mesh
from ..program.case import Case
from ..program.exact.kernels import Unsupported
from ..torch_compat import flattened

MOD, IN = "dp_shard_mod_ep", "dp_shard_in_ep"


def users_mesh(case: Case, device: str) -> DeviceMesh | None:
    if not any(item.name == "ep" for item in case.items) or case.world_size == 1:
        return make_mesh(case, device)
    degrees = degrees_of(case)
    experts, tensors = degrees.get("ep", 2), degrees.get("etp", 1)
    shared = ["cp"] if tensors > 1 else ["cp", "tp"]
    other = case.mesh["cp"] * (1 if tensors > 1 else case.mesh["tp"])
    inside = experts // other
    if tensors not in (1, case.mesh["tp"]):
        raise Unsupported(
            f"ep:etp is 1 or the degree of tp; expected etp={case.mesh['tp']}, got etp={tensors}"
        )
    if experts % other or inside == 0 or case.mesh["dp_shard"] % inside:
        raise Unsupported(
            f"ep={experts} takes whole axes, {' and '.join(shared)} first, and the rest of dp_shard; expected a multiple of "
            f"{other} that divides {other * case.mesh['dp_shard']}"
        )
    sizes: dict[str, int] = {}
    for axis, size in case.mesh.items():
        sizes |= {MOD: size // inside, IN: inside} if axis == "dp_shard" else {axis: size}
    sizes = {axis: size for axis, size in sizes.items() if size > 1 or axis == MOD}
    mesh = init_device_mesh(device, tuple(sizes.values()), mesh_dim_names=tuple(sizes))
    flatten(mesh, [MOD, IN], "dp_shard")
    flatten(mesh, [IN, *shared], "ep")
    if tensors > 1:
        flatten(mesh, ["tp"], "etp")
    return mesh


def flatten(mesh: DeviceMesh, axes: list[str], name: str) -> None:
    present = tuple(axis for axis in axes if axis in (mesh.mesh_dim_names or ()))
    if present:
        flattened(mesh[present if len(present) > 1 else present[0]], name)
