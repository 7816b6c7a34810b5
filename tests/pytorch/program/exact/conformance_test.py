"""The cases that all engines draw: their results do not depend on how operands lie in memory, nor on which variant is
called."""

import torch
from bits import same
from cases import Case, all_cases
from conformance import hash_of, hashes
from ordercheck_pytorch.program.exact.install import exact_kernels
from ordercheck_pytorch.program.exact.kernels import KERNELS, Unsupported

CASES = all_cases()


def test_names_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


def stock_hash(case: Case) -> str:
    try:
        return hash_of(case.results())
    except RuntimeError as error:  # attention takes no mask of booleans
        return str(error)


def test_results_do_not_depend_on_layout() -> None:
    exact = {}
    for case, (own, *others) in hashes(("", "plain", "transposed", "second", "offset")):
        assert set(others) == {own}, case.name
        exact[case.name] = own
    other = sum(stock_hash(case) != exact[case.name] for case in CASES)
    assert other > len(CASES) // 3, "else the lines show nothing"


def is_functional(case: Case) -> bool:
    return not any(a.alias_info for a in case.overload._schema.arguments)


def test_variants_equal_the_functional_operator() -> None:
    """out= and in-place ones, wherever the functional operator is called alike."""
    compared: set[str] = set()
    with exact_kernels(20):
        for case in CASES:
            if case.grid == 20 and is_functional(case):
                compared |= variants_compared(case)
    assert len(compared) > 40, compared


def variants_compared(case: Case) -> set[str]:
    base = case.operator.partition(".")[0]
    packets = [getattr(torch.ops.aten, base), getattr(torch.ops.aten, base + "_", None)]
    names = [a.name for a in case.overload._schema.arguments]
    expected, compared = case.results(), set()
    for overload in [
        getattr(packet, name) for packet in packets if packet is not None for name in packet.overloads()
    ]:
        arguments = overload._schema.arguments
        outs = [a.name for a in arguments if a.alias_info and a.name not in names]
        if [a.name for a in arguments if a.name not in outs] != names or not same_types(
            overload._schema, case
        ):
            continue
        if not any(a.alias_info for a in arguments) or len(outs) not in (0, len(expected)):
            continue
        called = case.inputs()
        first = called.get("self")
        if not outs and (
            not isinstance(first, torch.Tensor)
            or (first.shape, first.dtype) != (expected[0].shape, expected[0].dtype)
            or 0 in first.stride()
        ):
            continue  # there is no room for the result
        places = {name: torch.empty(0, dtype=x.dtype) for name, x in zip(outs, expected, strict=False)}
        try:
            result = overload(**called, **places)
        except Unsupported:  # told as such, and without a kernel
            assert str(overload).removeprefix("aten.").removesuffix(".default") not in KERNELS
            continue
        results = [result] if isinstance(result, torch.Tensor) else list(result or places.values())
        assert all(same(a, b) for a, b in zip(results, expected, strict=True)), (case.name, str(overload))
        compared.add(str(overload))
    return compared


def same_types(schema: torch.FunctionSchema, case: Case) -> bool:
    types = {a.name: str(a.type) for a in schema.arguments}
    return all(types[a.name] == str(a.type) for a in case.overload._schema.arguments)
