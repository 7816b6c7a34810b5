"""How a collective's end is asked for."""

from typing import Any

import pytest
from ordercheck_pytorch.worker.rank_watch import asked_without_its_lock


class _Future:
    def done(self) -> bool:
        return True


class _Work:
    """One whose lock is held by a thread that waits for the GIL: asking it under its lock would never return."""

    def __init__(self, future: Any) -> None:
        self.future = future

    def get_future(self) -> Any:
        if self.future is None:
            raise RuntimeError("Work::getFuture not implemented.")
        return self.future

    def is_completed(self) -> bool:
        if self.future is not None:
            pytest.fail("the lock of the work was asked for")
        return False


def test_a_work_with_a_future_is_not_asked_under_its_lock() -> None:
    assert asked_without_its_lock(_Work(_Future()))()


def test_a_work_without_a_future_is_asked_itself() -> None:
    assert not asked_without_its_lock(_Work(None))()
