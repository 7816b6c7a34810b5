"""Runs every model of the zoo in every layout and prints a table: model, layout, verdict and the first line of its message.

    run_zoo.py ORDERCHECK [MODEL,...] [LAYOUT,...]

ORDERCHECK is the program, as scripts/ordercheck; the folder of transformers is taken from ORDERCHECK_TRANSFORMERS. Exits with 1
where a verdict is another than stock PyTorch's: `equal` but for what OTHERWISE lists, or `unrun`. Takes some minutes a model,
so that no test runs all of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
HUGGING_FACE = ("llama", "gpt2", "bert", "t5", "mixtral", "qwen3_moe", "gemma")
PLAIN = ("encoder", "mlp", "lora")
STACKS = {
    "fsdp": "fsdp=2",
    "ddp": "ddp=8",
    "tp": "tp=2",
    "compile_aot_eager": "compile=aot_eager",
    "compile_inductor": "compile=inductor",
    "ac": "ac",
}
# GPT-2 and MultiheadAttention keep queries, keys and values in one matrix, and a LoRA is smaller than a split pays for.
WITHOUT_PLAN = ("gpt2", "encoder", "lora")
# Dynamo starts no graph at the forward of a module of torch.nn, so that an encoder layer that is compiled by itself is not.
OTHERWISE = {("encoder", "compile_aot_eager"): "ignored", ("encoder", "compile_inductor"): "ignored"}


def command(program: str, model: str, layout: str) -> list[str]:
    published = model in HUGGING_FACE
    factory = f"zoo_hugging_face:{model}" if published else f"zoo_plain:{model}"
    names = [
        "--model",
        factory,
        "--apply",
        f"zoo_layouts:{layout}",
        *(["--widen", "transformers"] * published),
    ]
    return [program, "run", "--engine", "pytorch", *names, STACKS[layout]]


def verdict_of(program: str, model: str, layout: str) -> tuple[str, str]:
    """As the first line of a run ends, and the line below, which says why."""
    paths = [str(HERE), os.environ.get("ORDERCHECK_TRANSFORMERS", ""), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(command(program, model, layout), env=environment, capture_output=True, text=True)
    told = done.stdout.splitlines()
    if len(told) < 2:
        return "none", (done.stderr.splitlines() or ["no output"])[-1]
    return told[0].rpartition(": ")[2], told[1].strip()


def main() -> int:
    program, *chosen = sys.argv[1:]
    models = chosen[0].split(",") if chosen and chosen[0] else [*HUGGING_FACE, *PLAIN]
    layouts = chosen[1].split(",") if len(chosen) > 1 else list(STACKS)
    wrong = 0
    for model in models:
        for layout in layouts:
            if layout == "tp" and model in WITHOUT_PLAN:
                continue
            verdict, line = verdict_of(program, model, layout)
            wrong += verdict not in (OTHERWISE.get((model, layout), "equal"), "unrun")
            print(f"{model:10} {layout:18} {verdict:9} {line[:150]}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
