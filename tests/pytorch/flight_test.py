"""The flight file: what is written is read again, byte for byte as src/record/flight_layout.h says."""

import struct
from pathlib import Path

from ordercheck_pytorch.worker.flight import FlightRecorder, Slot, create, describe, read
from run_message import PHASES


def test_a_new_file_has_the_header_and_empty_slots(tmp_path: Path) -> None:
    path = tmp_path / "flight"
    create(str(path), 3)
    data = path.read_bytes()
    assert len(data) == 64 + 3 * 256
    assert struct.unpack_from("<8sIIII", data) == (b"ORDCFLT1", 1, 3, 256, 0)
    assert read(str(path), PHASES) == [Slot(), Slot(), Slot()]
    assert list(tmp_path.iterdir()) == [path]


def test_a_slot_stands_where_the_layout_says(tmp_path: Path) -> None:
    path = tmp_path / "flight"
    create(str(path), 2)
    recorder = FlightRecorder(str(path), 1, PHASES)
    recorder.at_step(5, "forward")
    recorder.at_module("backward", "layers.0.attention")
    recorder.at_collective("backward", "all_gather", "tp", 7, "float64 [4, 24]")
    data = path.read_bytes()[64 + 256 :]
    assert struct.unpack_from("<QQ", data) == (6, 0)  # three writes, no end
    assert struct.unpack_from("<qiBB", data, 24) == (7, 5, 4, 0)
    assert data[38:57] == b"layers.0.attention\0"
    assert data[134:145] == b"all_gather\0"
    assert data[182:185] == b"tp\0"
    assert data[206:222] == b"float64 [4, 24]\0"
    assert read(str(path), PHASES)[0] == Slot()


def test_what_was_written_last_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "flight")
    create(path, 1)
    recorder = FlightRecorder(path, 0, PHASES)
    recorder.at_collective("forward", "all_reduce", "dp_shard", 2, "float32 [8]")
    before = read(path, PHASES)[0]
    assert describe(0, before) == "rank 0: forward, in all_reduce #2 on dp_shard, float32 [8]"
    recorder.left_collective()
    after = read(path, PHASES)[0]
    assert (after.operation, after.group, after.shape) == ("", "", "")
    assert after.ticket > before.ticket
    recorder.finished()
    assert describe(0, read(path, PHASES)[0]) == "rank 0: finished"


def test_a_long_text_is_cut_and_still_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "flight")
    create(path, 2)
    FlightRecorder(path, 0, PHASES).at_module("forward", "é" * 80)
    slots = read(path, PHASES)
    assert slots[0].module == "é" * 47
    assert not slots[1].used


def test_a_write_that_was_cut_off_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "flight"
    create(str(path), 1)
    FlightRecorder(str(path), 0, PHASES).at_module("forward", "output")
    data = bytearray(path.read_bytes())
    data[64] += 1
    path.write_bytes(data)
    assert read(str(path), PHASES)[0].torn


def test_a_rank_that_stays_is_not_overwritten(tmp_path: Path) -> None:
    path = str(tmp_path / "flight")
    create(path, 1)
    recorder = FlightRecorder(path, 0, PHASES)
    recorder.at_collective("forward", "all_reduce", "tp", 0, "")
    recorder.stays_at("forward", "layers.0")
    recorder.left_collective()
    recorder.at_step(9, "backward")
    stays = read(path, PHASES)[0]
    assert (stays.module, stays.operation, stays.step) == ("layers.0", "", 0)
    recorder.goes_on()
    recorder.at_step(9, "backward")
    assert read(path, PHASES)[0].step == 9
