"""Which of Inductor's decompositions exact arithmetic leaves out. An operator is exact in its kernel: a product that became mul
and sum, or a layer norm that became a variance, is rounded at other places than the reference's and is another number. So what
computes stays whole, and its kernel runs; what moves numbers or is made of other operators in eager mode too is decomposed as
ever."""

from __future__ import annotations

from typing import Any

from ...torch_compat import is_overload, schema_of
from .table import operators

KEPT_WHOLE = "compile: Inductor does not decompose operators that compute, nor fold zeros away, so that exact kernels run"

# Not in the table, because their eager kernels call operators that are: whole, they call the same ones compiled.
_CALL_OPERATORS = frozenset(
    (
        *(
            "mv",
            "binary_cross_entropy_with_logits",
            "celu",
            "dist",
            "_euclidean_dist",
            "logsumexp",
            "_safe_softmax",
        ),
        *(
            "rad2deg",
            "deg2rad",
            "soft_margin_loss",
            "soft_margin_loss_backward",
            "mvlgamma",
            "xlogy",
            "special_xlog1py",
        ),
        *("_foreach_addcdiv", "_foreach_addcmul", "_foreach_lerp", "rrelu_with_noise_backward"),
    )
)


def without_what_computes(decompositions: dict[Any, Any]) -> dict[Any, Any]:
    computing = {operator.name for operator in operators() if operator.kind != "move"} | _CALL_OPERATORS
    return {
        operator: function
        for operator, function in decompositions.items()
        if not (is_overload(operator) and _base_of(operator) in computing)
    }


def _base_of(operator: Any) -> str:
    namespace, _, name = schema_of(operator).name.partition("::")
    return name if namespace == "aten" else ""
