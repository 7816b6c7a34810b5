"""How many times its noise floor a legal layout is away in float32 arithmetic: what docs/guide/float32-arithmetic.md quotes.

    PYTHONPATH=src/drivers/pytorch PYTHON bench/noise_floor.py WORKER...

WORKER is build/cpu/bin/ordercheck-ranks, or PYTHON -m ordercheck_pytorch; PYTHON has torch. Prints the farthest layout, and the
farthest in the first step, which no optimizer has amplified.
"""

import json
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from ordercheck_pytorch.program.result import RankResult
from ordercheck_pytorch.repro.noise_floor import SPLITS, describe_place, distances, relative, widened

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "pytorch"))
from run_message import case_of, run_of

FLOAT32 = [
    "tp=2", "tp=3", "tp=4", "fsdp=2", "fsdp=3", "fsdp=4", "fsdp=5", "ddp=4", "sac,fsdp=8", "tp=2,ddp=2", "tp=2,compile",
    "tp=4,fsdp=2", "tp=2,ac,fsdp=2", "tp=2,ac,compile,fsdp=4",
]  # fmt: skip
CAST = ["amp,tp=2", "amp,tp=2,ac", "amp,cp=2", "amp,pp=2", "amp,ddp=2", "amp,fsdp=2"]
# By engine: the numeric transforms, the layouts held against one rank with these, and how many seeds.
LAYOUTS = {
    "native": [("", FLOAT32, 20)],
    "pytorch": [("", ["tp=2", "cp=2", "pp=2", "fsdp=2"], 2), ("amp", CAST, 2)],
}
USUAL = {"arithmetic": "exact", "seed": 1, "accumulation": 2}
STEPS = 3


def case_in(engine, stack, **settings):
    text = (stack or "(nothing)") + ("" if engine == "native" else f" engine={engine}")
    text += "".join(f" {key}={value}" for key, value in settings.items() if value != USUAL[key])
    return case_of(stack, engine=engine, text=text, steps=STEPS, **USUAL | settings)


class Worker:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.engine = json.loads(self.process.stdout.readline())["engine"]

    def run(self, stack, **settings):
        folder = Path(tempfile.mkdtemp())
        run = run_of(1, case_in(self.engine, stack, **settings), "values", values_folder=str(folder))
        print(json.dumps(run), file=self.process.stdin, flush=True)
        while (message := json.loads(self.process.stdout.readline()))["type"] == "progress":
            pass
        record = message["record"]
        if record["ending"] != "completed":
            sys.exit(
                f"noise_floor.py: {run['case']['text']} {record['ending']}: {record['failure']['message']}"
            )
        seen = RankResult(gradients=[{} for _ in record["steps"]])
        for step in record["steps"]:
            seen.losses.append(struct.unpack(">d", bytes.fromhex(step["loss"][0]))[0])
            seen.gradient_norms.append(struct.unpack(">d", bytes.fromhex(step["gradient_norm"][0]))[0])
        for piece in record["trace"]:
            if piece["module"].startswith("gradient of ") or piece["phase"] == "optimizer":
                values = torch.frombuffer(
                    bytearray((folder / piece["file"]).read_bytes()), dtype=torch.float64
                )
                into = seen.gradients[piece["step"]] if piece["phase"] == "backward" else seen.values
                into[piece["module"].removeprefix("gradient of ")] = values
        shutil.rmtree(folder)
        return seen


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    worker = Worker(sys.argv[1:])
    for numeric, layouts, seeds in LAYOUTS[worker.engine]:
        held = []
        for seed in range(1, 1 + seeds):
            expected, floor = worker.run("", arithmetic="plain", seed=seed), {}
            for split in SPLITS:
                one = worker.run(numeric, arithmetic="float32", seed=seed, accumulation=split)
                floor = widened(floor, distances(expected, one))
            for stack in layouts:
                found = distances(expected, worker.run(stack, arithmetic="float32", seed=seed))
                held += [(relative(*both) / floor[p], p, f"{stack} seed={seed}") for p, both in found.items()]
        print(f"{worker.engine}, {numeric or 'float32'}: {len(layouts)} layouts, {seeds} seeds")
        for name, among in (
            ("first step", lambda p: p[1] == 0 and p[0] != "parameter"),
            ("any step", lambda p: True),
        ):
            times, place, case = max(one for one in held if among(one[1]))
            print(f"  {name}: at most {times:.1f} times the noise floor: {describe_place(place)}, {case}")


if __name__ == "__main__":
    main()
