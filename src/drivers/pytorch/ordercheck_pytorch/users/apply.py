"""Applies a user's function to the model of a case in the place of the items of its stack."""

from __future__ import annotations

from collections.abc import Mapping

from ..program.apply import start_ranks_apart
from ..program.case import Case
from ..program.transforms.optimizer import DEFAULT_OPTIMIZER, apply_optimizer
from ..program.transforms.program import Program, Site
from ..program.transforms.transform import Transform
from .users_function import UsersFunction, apply_users_function


def apply_users_items(
    case: Case, transforms: Mapping[str, Transform], function: UsersFunction, program: Program, site: Site
) -> None:
    """The items only say what the function does, and which optimizer the trainer has."""
    for item in case.items:
        sends = (
            site.mesh is not None
            and case.world_size > 1
            and item.name in transforms
            and transforms[item.name].sends_every_parameter
        )
        if sends and (axis := start_ranks_apart(case, item, transforms, program, site)):
            program.notes.append(
                f"the ranks of {axis} started with different values, since {item.name} sends those of the first"
            )
    apply_users_function(function, program, site.mesh, case)
    for item in case.items:
        if item.name == DEFAULT_OPTIMIZER.name and program.optimizer is None:
            apply_optimizer(program, item, site)
