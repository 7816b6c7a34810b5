"""Answers runs: refuses what is not for this engine, and runs again what an earlier case may have broken."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import Any, Protocol

from ..observe import collectives
from ..torch_compat import gpus_by_nvml
from . import faults, flight
from .blame import DEATHS, first_cause, placed, where_all_were
from .compiled_code import CompiledCode
from .identity import content_hash, devices, engine_of, versions_of
from .partials import reconciled
from .pool import Outcome, RankPool
from .program import Program
from .rank_setup import CannotSetUp, RankSetup
from .record import empty_record, failure_of, fill
from .report import Order, RankError

PROTOCOL = 5  # kProtocolVersion in src/protocol/messages.h
MOST_RANKS = 16


class Out(Protocol):
    descriptor: int

    def line(self, text: str) -> None: ...
    def message(self, message: dict[str, Any]) -> None: ...


class Front:
    def __init__(self, program: Program, out: Out, folder: str, setup: RankSetup) -> None:
        """`folder` holds what ranks meet by and what they compile."""
        collectives.install()
        self.pool = RankPool(program, [out.descriptor], CompiledCode(folder))
        self._program = program
        self._out = out
        self._folder = folder
        self._setup = setup
        self._worlds = 0

    def hello(self) -> dict[str, Any]:
        kinds = [*faults.AT_A_PLACE, *faults.OF_THE_FRONT]
        if not collectives.missing():
            kinds += faults.AT_A_COLLECTIVE
        return {
            "type": "hello",
            "protocol": PROTOCOL,
            "engine": engine_of(self._program),
            "versions": versions_of(self._program) + self._setup.beside_versions(self._backend(1)),
            "devices": devices(self._setup.device),
            "absent_device": "",
            "transforms": list(self._program.transforms),
            "models": list(self._program.models),
            "own_code": True,
            "mutants": [],
            "faults": kinds,
            "max_ranks": MOST_RANKS,
            "content_hash": content_hash(self._program),
        }

    def answer(self, run: Mapping[str, Any]) -> None:
        if run["fault"] is not None and run["fault"]["kind"] == "nonsense":
            self._out.line("this is not the protocol")
            return
        self._out.message({"type": "record", "id": run["id"], "record": self._record(run)})

    def _record(self, run: Mapping[str, Any]) -> dict[str, Any]:
        asked = {
            "coarse_factors": run.get("coarse_factors", False),
            "keeps_outputs": run["keep"] == "values",
        }
        run = {**run, "case": {**run["case"], **asked}}
        case = self._program.case_of(run["case"])
        record = empty_record(
            case,
            engine_of(self._program),
            versions_of(self._program),
            self._setup.device,
            run["counters"],
        )
        if why := self._cannot(run, case):
            record["ending"] = "unsupported"
            record["failure"] = failure_of(RankError(-1, 0, "unsupported", why))
            return record
        record["versions"] += self._setup.beside_versions(self._backend(case.world_size))
        outcome = self._run(run, case.world_size)
        suspicious = ""
        if outcome.used and outcome.errors and first_cause(outcome.errors).ending in ("failed", *DEATHS):
            suspicious = first_cause(outcome.errors).message
            outcome = self._run(run, case.world_size)  # in ranks that were forked for it
        if outcome.errors:
            self._blame(record, run, outcome)
            return record
        reports, owed = reconciled(
            run,
            outcome.reports,
            lambda other: self._run(other, case.world_size),
            self._program.furthest(case),
        )
        record["parity_owed"] = record["parity_owed"] and owed
        try:
            fill(record, reports, run["keep"], run["values_folder"])
        except OSError as error:
            record["ending"] = "failed"
            message = f"cannot write values: {error}"
            record["failure"] = failure_of(RankError(-1, 0, "failed", message, phase="observe"))
        if run["keep"] in ("graphs", "passes"):
            record["notes"].append("graphs are not handed out")
        if suspicious:  # of the pool, not of the case: no part of its record
            print(
                f"failed in a used pool, and not in a fresh one: {suspicious}",
                file=sys.stderr,
            )
        return record

    def _cannot(self, run: Mapping[str, Any], case: Any) -> str:
        if run["mutant"]:
            return f"mutant '{run['mutant']}' is not known"
        if case.world_size > MOST_RANKS:
            return f"{case.world_size} ranks asked for, at most {MOST_RANKS} can be run"
        try:
            self._backend(case.world_size)
        except CannotSetUp as why:
            return str(why)
        return self._program.cannot(case)

    def _backend(self, ranks: int) -> str:
        return self._setup.backend_for(ranks, gpus_by_nvml())

    def _run(self, run: Mapping[str, Any], world_size: int) -> Outcome:
        self._worlds += 1
        store = os.path.join(self._folder, f"world-{self._worlds}")
        if run["flight_file"]:
            flight.create(run["flight_file"], world_size)
        orders = [
            Order(
                rank=rank,
                world_size=world_size,
                case=run["case"],
                keep=run["keep"],
                fault=run["fault"],
                device=self._setup.device,
                backend=self._backend(world_size),
                store=store,
                flight_file=run["flight_file"],
                phases=run["phases"],
            )
            for rank in range(world_size)
        ]

        def on_step(step: int) -> None:
            self._out.message({"type": "progress", "id": run["id"], "step": step})

        outcome = self.pool.run(orders, on_step)
        if outcome.errors:  # else the last rank that leaves it removes it
            with contextlib.suppress(FileNotFoundError):
                os.unlink(store)
        return outcome

    def _blame(self, record: dict[str, Any], run: Mapping[str, Any], outcome: Outcome) -> None:
        slots = flight.read(run["flight_file"], run["phases"]) if run["flight_file"] else []
        error = placed(first_cause(outcome.errors), slots)
        print(
            f"rank {error.rank}:\n{error.traceback}" if error.traceback else error.message,
            file=sys.stderr,
        )
        record["ending"] = error.ending
        record["failure"] = failure_of(error, where_all_were(slots, outcome.errors))
