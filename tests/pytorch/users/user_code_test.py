"""A user's model is taken as it is, and its code that asks for float32 is widened where that was asked for."""

import sys
from pathlib import Path

import pytest
import torch
from ordercheck_pytorch.program.exact.kernels import Unsupported
from ordercheck_pytorch.program.widen import widen, widened_code
from ordercheck_pytorch.users.user_code import look_up, look_up_function, make_user_model
from torch import nn


def small() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Linear(6, 3, bias=False))


def nothing() -> None:
    return None


def test_modules_stay_what_they_are() -> None:
    model = make_user_model(f"{__name__}:small", seed=1)
    assert [type(m) for m in model] == [nn.Linear, nn.BatchNorm1d, nn.Linear]  # type: ignore[attr-defined]
    assert list(model.state_dict()) == list(small().state_dict())
    norm = model[1]  # type: ignore[index]
    assert norm.weight.eq(1).all()
    assert norm.bias.eq(0).all()


def test_weights_are_a_function_of_the_seed() -> None:
    first, again, other = (make_user_model(f"{__name__}:small", seed) for seed in (1, 1, 2))
    assert torch.equal(first[0].weight, again[0].weight)  # type: ignore[index]
    assert not torch.equal(first[0].weight, other[0].weight)  # type: ignore[index]


def test_values_are_those_that_the_factory_draws() -> None:
    torch.manual_seed(3)
    drawn = small()
    made = make_user_model(f"{__name__}:small", seed=3)
    for mine, theirs in zip(drawn.parameters(), made.parameters(), strict=True):
        assert mine.equal(theirs)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"returned NoneType; expected an nn\.Module"):
        make_user_model(f"{__name__}:nothing", seed=1)


def raises() -> nn.Module:
    raise ValueError("no weights")


def test_a_factory_that_raises_is_told_with_its_line() -> None:
    with pytest.raises(
        Unsupported, match=r":raises\(\) raised ValueError: no weights \(.*user_code_test\.py:\d+\)$"
    ):
        make_user_model(f"{__name__}:raises", seed=1)


def hands_torch_a_wrong_size() -> nn.Module:
    return nn.Linear(4, "three")  # type: ignore[arg-type]


def test_a_factory_whose_argument_torch_rejects_is_told_with_its_own_line() -> None:
    with pytest.raises(Unsupported, match=r"TypeError: .* \(.*user_code_test\.py:\d+\)$"):
        make_user_model(f"{__name__}:hands_torch_a_wrong_size", seed=1)


def test_what_is_named_wrongly_is_told_from_what_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_inside.py").write_text("import torch\nimport not_installed_anywhere\n")
    (tmp_path / "half_written.py").write_text("def build(:\n")
    (tmp_path / "ends.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name, told in (
        (
            "not_there:build",
            "not_there:build: no module named 'not_there' in the working directory or installed",
        ),
        ("torch.not_there:build", "no module named 'torch.not_there'"),
        ("broken_inside:build", r"No module named 'not_installed_anywhere' \(.*broken_inside.py:2\)"),
        ("half_written:build", "importing half_written raised SyntaxError"),
        ("ends:build", "importing ends raised SystemExit: 3"),
        (f"{__name__}:smal", rf"{__name__} \(.*\) has no 'smal'; did you mean 'small'\?"),
    ):
        with pytest.raises(Unsupported, match=told):
            look_up(name)


def test_a_function_of_other_arguments_is_refused() -> None:
    assert look_up_function(f"{__name__}:small", ()) is small
    with pytest.raises(Unsupported, match=r"takes \(\) -> .*; expected a function of \(model, mesh\)"):
        look_up_function(f"{__name__}:small", ("model", "mesh"))
    with pytest.raises(Unsupported, match=r"is of type str; expected a function of \(\)"):
        look_up_function(f"{__name__}:SOURCE", ())


def test_a_name_is_looked_up_through_classes() -> None:
    assert look_up("torch.nn:Linear.forward") is nn.Linear.forward


SOURCE = """
import torch
def norm(x):
    y = x.float()
    z = torch.zeros(3, dtype=torch.float32) + torch.ones(3, dtype=torch.float)
    return y, z, float(1), x.to(dtype="float32") if False else None
"""


def test_code_that_asks_for_float32_gets_float64() -> None:
    names: dict[str, object] = {}
    exec(widened_code(SOURCE, "source.py"), names)
    y, z, number, _ = names["norm"](torch.ones(3, dtype=torch.float16))  # type: ignore[operator]
    assert y.dtype == z.dtype == torch.float64
    assert number == 1.0
    assert isinstance(number, float)


def test_a_package_is_widened_on_import_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("asks_for_float32", "asks_as_well"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "part.py").write_text("import torch\nDTYPE = torch.float32\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    widen(["asks_for_float32"])
    widen(["asks_for_float32"])  # once is enough
    assert look_up("asks_for_float32.part:DTYPE") == torch.float64
    assert look_up("asks_as_well.part:DTYPE") == torch.float32
    with pytest.raises(ImportError, match="asks_as_well cannot be widened: it was imported before"):
        widen(["asks_as_well"])
