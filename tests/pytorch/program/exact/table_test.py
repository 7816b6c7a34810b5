"""operators.tsv and the kernels say the same, and name what PyTorch has."""

import inspect
from collections import Counter

import torch
from cases import all_cases
from ordercheck_pytorch.program.exact import install  # noqa: F401  declares the kernels
from ordercheck_pytorch.program.exact.kernels import GPU_KERNELS, KERNELS
from ordercheck_pytorch.program.exact.table import KEPT, KEYED, OF_GPUS, REFUSED, REPLACED, operators

GRIDS = {"none", "product", "sum", "addition", "scatter", "norm"}
# Moves, but of whole numbers, which the CPU has no kernel for.
ALSO_REPLACED = {"histc"}


def test_every_replaced_operator_has_its_kernel_and_every_kernel_its_row() -> None:
    named = {name for operator in operators() if operator.kind in REPLACED for name in operator.full_names}
    assert named == set(KERNELS) - ALSO_REPLACED
    of_gpus = {name for operator in operators() if operator.kind == OF_GPUS for name in operator.full_names}
    assert of_gpus == set(GPU_KERNELS)


def test_no_operator_is_in_two_rows() -> None:
    counted = Counter(
        (operator.name, overload) for operator in operators() for overload in operator.overloads or ("*",)
    )
    assert [key for key, count in counted.items() if count > 1] == []
    whole = {operator.name for operator in operators() if not operator.overloads}
    assert whole.isdisjoint(operator.name for operator in operators() if operator.overloads)


def test_classes_and_grids_are_known() -> None:
    for operator in operators():
        assert operator.kind in (*REPLACED, OF_GPUS, *KEPT, *REFUSED), operator
        assert operator.grid in GRIDS, operator
        assert operator.why, operator


def test_every_name_is_pytorchs() -> None:
    missing = [operator.name for operator in operators() if not hasattr(torch.ops.aten, operator.name)]
    overloads = [
        name
        for operator in operators()
        for name, overload in zip(operator.full_names, operator.overloads, strict=True)
        if operator.name not in missing and overload not in getattr(torch.ops.aten, operator.name).overloads()
    ]
    assert missing + overloads == []


def test_every_kernel_takes_its_schemas_arguments() -> None:
    for name, function in (KERNELS | GPU_KERNELS).items():
        base, _, overload = name.partition(".")
        expected = {
            a.name for a in getattr(getattr(torch.ops.aten, base), overload or "default")._schema.arguments
        }
        taken = inspect.signature(function).parameters.values()
        if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in taken):
            continue
        # By position they may be called otherwise.
        assert len(taken) == len(expected), name
        assert {one.name for one in taken if one.kind is one.KEYWORD_ONLY} <= expected, name


def test_every_kernel_is_called_by_a_case_of_conformance() -> None:
    # What draws is called in dropout_test.py: no other engine draws as it does.
    draw = {name for operator in operators() if operator.kind == KEYED for name in operator.full_names}
    assert {case.operator for case in all_cases()} == set(KERNELS) - ALSO_REPLACED - draw
