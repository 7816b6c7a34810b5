"""What a failure says of itself, on one line."""

from ordercheck_pytorch.observe.where import ModuleNames, message_of
from torch import nn


def raised_from(outer: Exception, inner: Exception) -> Exception:
    try:
        raise outer from inner
    except Exception as error:
        return error


def test_what_it_was_raised_from_is_told_once() -> None:
    stage = raised_from(RuntimeError("[Stage 0] failed"), ValueError("10 versus 20\nmore"))
    assert message_of(stage) == "RuntimeError: [Stage 0] failed (from ValueError: 10 versus 20)"
    repeated = raised_from(RuntimeError("compiler: no such mesh"), ValueError("no such mesh"))
    assert message_of(repeated) == "RuntimeError: compiler: no such mesh"


def test_a_child_of_the_model_that_is_called_module_keeps_its_name() -> None:
    built = nn.Sequential()
    built.module = nn.Linear(2, 2)
    names = ModuleNames()
    names.add(built)
    names.add(nn.ModuleDict({"_orig_mod": built, "head": nn.Linear(2, 2)}))
    assert set(names._names.values()) == {"", "module", "head"}
