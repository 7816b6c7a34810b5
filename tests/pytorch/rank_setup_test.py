"""Where ranks have their tensors, and what their collectives go over: what is said, what follows, and what is refused."""

import pytest
from ordercheck_pytorch.worker.rank_setup import CannotSetUp, RankSetup, setup_of


def error_of(gpus: int, **environment: str) -> str:
    with pytest.raises(CannotSetUp) as raised:
        setup_of(environment, gpus)
    return str(raised.value)


def test_on_the_cpu_over_gloo_unless_said() -> None:
    assert setup_of({}, gpus=-1) == RankSetup("cpu", "")
    assert RankSetup().backend_for(ranks=8, gpus=0) == "gloo"
    assert setup_of({"ORDERCHECK_WORLD": "staged"}, gpus=0).backend_for(2, 0) == "staged"


def test_on_gpus_over_nccl_where_each_rank_has_one_and_else_through_the_host() -> None:
    setup = setup_of({"ORDERCHECK_DEVICE": "cuda"}, gpus=2)
    assert [setup.backend_for(ranks, 2) for ranks in (1, 2, 4)] == [
        "nccl",
        "nccl",
        "staged",
    ]
    assert RankSetup("cuda", "staged").backend_for(2, 2) == "staged"


def test_a_record_names_what_is_not_usual() -> None:
    assert RankSetup().beside_versions("gloo") == []
    assert RankSetup("cuda").beside_versions("nccl") == []
    assert RankSetup("cuda").beside_versions("staged") == ["staged collectives"]


def test_what_cannot_be_had_is_one_line() -> None:
    assert error_of(0, ORDERCHECK_DEVICE="tpu") == "ORDERCHECK_DEVICE: expected cpu or cuda, got 'tpu'"
    assert (
        error_of(0, ORDERCHECK_DEVICE="cuda")
        == "ORDERCHECK_DEVICE: cuda needs a GPU, and NVML tells of none on this machine"
    )
    assert (
        error_of(0, ORDERCHECK_WORLD="nccl")
        == "ORDERCHECK_WORLD: expected gloo or staged for tensors on cpu, got 'nccl'"
    )
    with pytest.raises(CannotSetUp, match="4 ranks on nccl need a GPU each, and 2 can be had"):
        RankSetup("cuda", "nccl").backend_for(4, 2)
