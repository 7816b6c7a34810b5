"""What inductor compiled for ranks that were killed is used by nobody."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ordercheck_pytorch.worker.compiled_code import CompiledCode
from ordercheck_pytorch.worker.pool import RankPool
from ordercheck_pytorch.worker.report import Order
from run_message import PHASES, mesh_of
from stub_program import Program

VARIABLE = "TORCHINDUCTOR_CACHE_DIR"


def test_killed_ranks_leave_their_folder_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")  # so that what is set below is taken back
    monkeypatch.delenv(VARIABLE)
    pool = RankPool(Program(), [], CompiledCode(str(tmp_path)))
    first = os.environ[VARIABLE]
    pool.kill()
    assert os.environ[VARIABLE] == first  # there was no rank
    case = {
        "text": "stub",
        "apply": "",
        "batch": "",
        "loss": "",
        "optimizer": "",
        "step": "",
        "reference_apply": "",
        "reference_ranks": 1,
        "widen": "",
        "mesh": mesh_of(),
        "settings": {"arithmetic": "plain"},
    }
    order = Order(
        rank=0,
        world_size=1,
        case=case,
        keep="hashes",
        fault=None,
        device="cpu",
        backend="gloo",
        store=str(tmp_path / "store"),
        flight_file="",
        phases=PHASES,
    )
    outcome = pool.run([order], lambda step: None)
    assert not outcome.errors, outcome.errors[0].traceback
    assert os.environ[VARIABLE] == first
    pool.kill()
    assert os.environ[VARIABLE] != first
    assert Path(os.environ[VARIABLE]).parent == tmp_path


def test_a_folder_of_the_users_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/somewhere")
    CompiledCode(str(tmp_path)).begin_anew()
    assert os.environ[VARIABLE] == "/somewhere"
