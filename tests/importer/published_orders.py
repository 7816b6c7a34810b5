"""published_orders.py TORCHTITAN_0_2_2 TORCHTITAN_0_1_0 ORDERCHECK: orders of functions of torchtitan, each file read alone.

The table was written by hand from the sources of both releases: v0.2.2 is 73a0e6979, v0.1.0 is f7084fc78."""

import subprocess
import sys
import unittest
from pathlib import Path

from scanned import answer, stack_of

# File below torchtitan/, function -> its stacks. Options are left out here.
OF_0_2_2 = {
    ("models/llama3/infra/parallelize.py", "parallelize_llama"): [
        "tp,cp,ac,compile,fsdp",
        "tp,cp,ac,compile,replicate",
    ],
    ("models/llama4/infra/parallelize.py", "parallelize_llama"): [
        "tp,ep,cp,ac,compile,fsdp",
        "tp,ep,cp,ac,compile,replicate",
    ],
    ("models/deepseek_v3/infra/parallelize.py", "parallelize_deepseekv3"): [
        "tp,ep,cp,ac,compile,fsdp",
        "tp,ep,cp,ac,compile,replicate",
    ],
    ("models/qwen3/infra/parallelize.py", "parallelize_qwen3"): [
        "tp,ep,cp,ac,compile,fsdp",
        "tp,ep,cp,ac,compile,replicate",
    ],
    ("models/gpt_oss/infra/parallelize.py", "parallelize_gptoss"): ["tp,ep,ac,fsdp", "tp,ep,ac,replicate"],
    ("models/flux/infra/parallelize.py", "parallelize_flux"): ["ac,cp,fsdp"],
    ("models/flux/infra/parallelize.py", "parallelize_encoders"): ["fsdp"],
    ("experiments/simple_fsdp/llama3/parallelize.py", "parallelize_llama"): [
        "tp,ac,simple_fsdp,compile@model",
        "tp,ac,simple_hsdp,compile@model",
        "tp,ac,simple_replicate,compile@model",
    ],
    ("experiments/simple_fsdp/deepseek_v3/parallelize.py", "parallelize_deepseekv3"): [
        "tp,ep,ac,simple_fsdp,compile@model",
        "tp,ep,ac,simple_hsdp,compile@model",
        "tp,ep,ac,simple_replicate,compile@model",
    ],
    ("experiments/transformers_modeling_backend/infra/parallelize.py", "parallelize_hf_transformers"): [
        "tp,ac,compile,fsdp,cp",
        "tp,ac,compile,replicate",
    ],
    ("experiments/vlm/infra/parallelize.py", "parallelize_vlm"): ["ac,compile,fsdp", "ac,compile,replicate"],
    ("experiments/autoparallel/llama3/parallelize_llama.py", "parallelize_llama"): ["auto_parallel"],
    ("experiments/autoparallel/deepseek_v3/parallelize_deepseekv3.py", "parallelize_deepseekv3"): [
        "auto_parallel"
    ],
    ("experiments/autoparallel/local_map_deepseek_v3/parallelize_deepseekv3.py", "parallelize_deepseekv3"): [
        "auto_parallel"
    ],
    ("experiments/rl/unified/infra/parallelize.py", "apply_non_moe_tp"): ["tp"],
}
OF_0_1_0 = {
    ("models/llama3/infra/parallelize.py", "parallelize_llama"): [
        "tp,ac,compile,fsdp",
        "tp,ac,compile,replicate",
        "tp,sac,compile,fsdp",
        "tp,sac,compile,replicate",
    ],
    ("experiments/llama4/infra/parallelize.py", "parallelize_llama"): [
        "tp,ac,compile,fsdp",
        "tp,ac,compile,replicate",
    ],
    ("experiments/flux/infra/parallelize.py", "parallelize_flux"): ["ac,fsdp"],
    ("experiments/flux/infra/parallelize.py", "parallelize_encoders"): ["fsdp"],
    ("experiments/simple_fsdp/parallelize.py", "parallelize_llama"): [
        "tp,ac,simple_fsdp,compile@model",
        "tp,ac,simple_hsdp,compile@model",
        "tp,ac,simple_replicate,compile@model",
    ],
    ("experiments/deepseek_v3/infra/parallelize_deepseek.py", "parallelize_deepseek"): ["fsdp"],
}
# Both hand the model to parallelize functions of simple_fsdp, which are not in their files, and are named.
HANDED_ON = {
    "experiments/compiler_toolkit/llama3/parallelize.py": "simple_fsdp_parallelize_llama(model, parallel_dims, job_config)",
    "experiments/compiler_toolkit/deepseek_v3/parallelize.py": (
        "simple_fsdp_parallelize_deepseekv3(model, parallel_dims, job_config)"
    ),
}
# Lines of llama3's parallelize.py in v0.2.2 where each step is called.
LLAMA3_LINES = [("tp", 89), ("cp", 100), ("ac", 112), ("compile", 123), ("fsdp", 131)]

folders: list[Path] = []


def plain(items: list[dict]) -> str:
    return stack_of([{**item, "mode": "", "options": []} for item in items])


def orders(folder: Path, file: str) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for function in answer(folder / "torchtitan" / file)["functions"]:
        found[file, function["function"]] = sorted(plain(stack["items"]) for stack in function["stacks"])
    return found


class Torchtitan(unittest.TestCase):
    def assert_orders(self, folder: Path, expected: dict[tuple[str, str], list[str]]) -> None:
        root = folder / "torchtitan"
        files = sorted(str(file.relative_to(root)) for file in root.rglob("parallelize*.py"))
        found: dict[tuple[str, str], list[str]] = {}
        for file in files:
            found.update(orders(folder, file))
        self.assertEqual(found, expected)

    def test_orders_of_0_2_2(self) -> None:
        self.assert_orders(folders[0], OF_0_2_2)

    def test_orders_of_0_1_0(self) -> None:
        self.assert_orders(folders[1], OF_0_1_0)

    def test_lines_of_llama3(self) -> None:
        found = answer(folders[0] / "torchtitan/models/llama3/infra/parallelize.py")
        items = found["functions"][0]["stacks"][0]["items"]
        self.assertEqual([(item["name"], item["line"]) for item in items], LLAMA3_LINES)

    def test_what_is_handed_on_is_named(self) -> None:
        for file, call in HANDED_ON.items():
            found = answer(folders[0] / "torchtitan" / file)
            self.assertEqual(found["functions"], [])
            self.assertIn(call, [note["text"] for note in found["not_understood"]])

    def test_the_whole_of_0_2_2_at_once(self) -> None:
        """Helpers are followed into their files: checkpointing is then by block or by operator."""
        found = answer(folders[0] / "torchtitan")
        self.assertEqual((found["bad"], found["left_out"]), ([], []))
        of_llama3 = [
            f for f in found["functions"] if f["file"].endswith("models/llama3/infra/parallelize.py")
        ]
        self.assertEqual(
            sorted(plain(stack["items"]) for stack in of_llama3[0]["stacks"]),
            [
                "tp,cp,ac,compile,fsdp",
                "tp,cp,ac,compile,replicate",
                "tp,cp,sac,compile,fsdp",
                "tp,cp,sac,compile,replicate",
            ],
        )

    def test_the_guide_shows_what_check_prints_of_it(self) -> None:
        root = Path(__file__).resolve().parents[2]
        command = "check torchtitan/models/llama3/infra/parallelize.py --for torchtitan-0.2.2"
        checked = subprocess.run(
            [ordercheck, *command.split(), "--rules", root / "rules"],
            cwd=folders[0],
            capture_output=True,
            text=True,
            check=False,
        )
        shown = f"```text\n$ ordercheck {command}\n{checked.stdout}```\n"
        self.assertIn(shown, (root / "docs/guide/importing.md").read_text())


if __name__ == "__main__":
    folders = [Path(sys.argv.pop(1)), Path(sys.argv.pop(1))]
    ordercheck = Path(sys.argv.pop(1)).resolve()
    unittest.main()
