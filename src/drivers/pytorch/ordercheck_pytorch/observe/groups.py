"""Names of process groups: the mesh axes that a group spans, told by the ranks in it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import torch.distributed as dist

from ..torch_compat import description_of


def groups_of(mesh: Mapping[str, int], rank: int) -> dict[tuple[int, ...], str]:
    """The ranks that stand in one line, plane ... with this rank, and the axes that span them, 'dp_shard+cp'.

    Ranks are row-major over the mesh: the last axis varies fastest. All axes together are the world, unless
    there is only one: then the axis is the better name.
    """
    axes = [axis for axis, degree in mesh.items() if degree > 1]
    place, names = _place(mesh, rank), {}
    for count in range(len(axes), 0, -1):
        for chosen in itertools.combinations(axes, count):
            ranks = tuple(
                other
                for other in range(math.prod(mesh.values()))
                if all(_place(mesh, other)[axis] == place[axis] for axis in mesh if axis not in chosen)
            )
            names[ranks] = "world" if len(chosen) == len(axes) > 1 else "+".join(chosen)
    return names


def _place(mesh: Mapping[str, int], rank: int) -> dict[str, int]:
    place = {}
    for axis in reversed(list(mesh)):
        place[axis] = rank % mesh[axis]
        rank //= mesh[axis]
    return place


class GroupNames:
    """Looks names up, of groups as they come."""

    def __init__(self, mesh: Mapping[str, int], rank: int) -> None:
        self._axes = tuple(mesh)
        self._by_ranks = groups_of(mesh, rank)
        self._known: dict[str, str] = {}

    def of(self, group: dist.ProcessGroup) -> str:
        key: str = group.group_name
        if key not in self._known:
            self._known[key] = self._name(group)
        return self._known[key]

    def _name(self, group: dist.ProcessGroup) -> str:
        ranks = tuple(sorted(dist.get_process_group_ranks(group)))
        if ranks in self._by_ranks:
            return self._by_ranks[ranks]
        # A group of one rank is of any axis of degree 1; DeviceMesh notes for which it was made.
        of_mesh, _, made_for = description_of(group).partition("mesh_")
        if not of_mesh and made_for in self._axes:
            return made_for
        if ranks == tuple(range(dist.get_world_size())):
            return "world"
        # Carved from several axes, by a mesh of the program's own: under the name that it has there, as torchtitan's efsdp.
        return made_for if not of_mesh and made_for else "ranks_" + "+".join(map(str, ranks))
