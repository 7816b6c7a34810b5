"""What a failure says of itself, on one line."""

from ordercheck_pytorch.observe.where import message_of


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
