"""A user's own optimizer, named "package.module:function": function(model) returns an object with step() and zero_grad(). It is
called with the model as the last transform left it, on one rank too."""

from __future__ import annotations

from collections.abc import Callable

from ..program.case import Case
from ..program.transforms.program import Program, Site
from .user_code import look_up_function


def users_optimizer(case: Case) -> Callable[[Program, Site], None]:
    function = look_up_function(case.optimizer, ("model",))

    def make(program: Program, site: Site) -> None:
        optimizer = function(program.model)
        for method in ("step", "zero_grad"):
            if not callable(getattr(optimizer, method, None)):
                raise TypeError(
                    f"{case.optimizer} returned {type(optimizer).__name__} without {method}(); expected an optimizer"
                )
        program.optimizer = optimizer

    return make
