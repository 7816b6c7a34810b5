"""The graph that `ordercheck plan` plans: traced without values, of the sizes that are asked for."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.utils.checkpoint
from ordercheck_pytorch.planned.command import write_graph
from torch import nn

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ORDERCHECK = ROOT / "build/cpu/bin/ordercheck"
SIZES = {"layers": 3, "dim": 64, "heads": 8, "kv_heads": 4, "head_dim": 16, "ffn_hidden": 96, "vocab": 1000}


def asked(model: str, **sizes: int) -> dict[str, Any]:
    question = {"model": model, "sizes": {**SIZES, **sizes}, "sequences": 4, "sequence_length": 32}
    out = io.StringIO()
    assert write_graph(io.StringIO(json.dumps(question)), out) == 0
    return json.loads(out.getvalue())


def test_a_graph_has_the_sizes_asked_for() -> None:
    answer = asked("llama")
    graph = answer["graph"]
    shapes = dict(
        zip(answer["parameters"], (graph["shapes"][value] for value in graph["parameters"]), strict=True)
    )
    assert shapes["layers.2.attention.wk.weight"] == [64, 64]
    assert shapes["layers.0.feed_forward.w1.weight"] == [96, 64]
    assert graph["shapes"][graph["outputs"][0]] == [4, 32, 1000]
    assert graph["shapes"][graph["inputs"][-1]] == [4, 32]
    assert answer["has_samples"] == [False] * (len(graph["inputs"]) - 1) + [True]
    assert [graph["shapes"][value] for value in graph["gradients"]] == list(shapes.values())


def test_parameters_are_wide_and_products_narrow() -> None:
    graph = asked("llama")["graph"]
    assert {graph["element_bytes"][value] for value in graph["parameters"] + graph["gradients"]} == {4}
    products = [node for node in graph["nodes"] if node["op"] == "aten::mm"]
    assert len(products) == 3 * (7 * SIZES["layers"] + 1)
    assert {graph["element_bytes"][value] for node in products for value in node["results"]} == {2}


def test_backward_belongs_to_the_module_of_its_forward() -> None:
    nodes = asked("llama")["graph"]["nodes"]
    of_w2 = [node for node in nodes if node["module"] == "layers.1.feed_forward.w2"]
    assert [node["backward"] for node in of_w2 if node["op"] == "aten::mm"] == [False, True, True]
    assert {node["module"] for node in nodes if node["op"].startswith("aten::_scaled_dot")} == {
        f"layers.{i}.attention.inner_attention" for i in range(3)
    }


def test_a_tied_weight_is_one_parameter() -> None:
    assert "output.weight" not in asked("llama", tied=1)["parameters"]


class Changing(nn.Module):
    """Writes in place: what reads afterwards reads the changed value."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.head = nn.Linear(8, 10)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        x = x * 2
        x.add_(1)
        return self.head(x)


def changing() -> nn.Module:
    return Changing()


def test_an_operator_in_place_makes_a_value_of_its_own() -> None:
    graph = asked("planned_test:changing")["graph"]
    added = next(node for node in graph["nodes"] if node["op"] == "aten::add")
    read = {value for node in graph["nodes"] for value in node["operands"]}
    assert added["results"][0] in read
    doubled = next(node for node in graph["nodes"] if node["op"] == "aten::mul")
    assert [node["op"] for node in graph["nodes"] if doubled["results"][0] in node["operands"]] == [
        "aten::add"
    ]


class WritesToAView(Changing):
    """What reads `x` afterwards reads what was written, which no edge of the graph says."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens).sin()
        x[:, 0].mul_(2)
        return self.head(x)


def writes_to_a_view() -> nn.Module:
    return WritesToAView()


class Checkpointed(Changing):
    """Reruns its embedding in backward, and prints in forward."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        print("forward")
        x = torch.utils.checkpoint.checkpoint(
            lambda of: self.embedding(of).sin(), tokens, use_reentrant=False
        )
        return self.head(x)


def checkpointed() -> nn.Module:
    return Checkpointed()


def test_a_checkpoint_reruns_forward_in_backward() -> None:
    nodes = asked("planned_test:checkpointed")["graph"]["nodes"]
    assert [node["backward"] for node in nodes if node["op"] == "aten::embedding"] == [False, True]


def test_what_a_model_prints_is_no_part_of_the_answer() -> None:
    question = {"model": "planned_test:checkpointed", "sizes": {}, "sequences": 4, "sequence_length": 32}
    done = subprocess.run(
        [sys.executable, "-m", "ordercheck_pytorch", "graph"],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT / "src/drivers/pytorch"), *sys.path]),
        },
    )
    assert "graph" in json.loads(done.stdout), done.stderr
    assert "forward" in done.stderr


def idle() -> nn.Module:
    model = Changing()
    model.unused = nn.Linear(2, 2)
    return model


def complex_numbers() -> nn.Module:
    model = Changing()
    model.phases = nn.Parameter(torch.zeros(4, dtype=torch.complex64))
    return model


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("planned_test:idle", "unused.weight gets no gradient: the logits do not depend on it"),
        ("planned_test:nothing", "planned_test:nothing: planned_test"),
        (
            "planned_test:writes_to_a_view",
            "head reads a tensor after another view of it was written in place",
        ),
        ("planned_test:complex_numbers", "phases is torch.complex64"),
    ],
)
def test_what_cannot_be_traced_is_one_line(model: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    question = {"model": model, "sizes": SIZES, "sequences": 4, "sequence_length": 32}
    assert write_graph(io.StringIO(json.dumps(question)), io.StringIO()) == 2
    assert capsys.readouterr().err.startswith(said)


def test_plans_of_the_guide_print_what_the_guide_shows(tmp_path: Path) -> None:
    if not torch.__version__.startswith("2.11"):
        pytest.skip(f"the guide shows traces of torch 2.11, not {torch.__version__}")
    if not ORDERCHECK.exists():
        pytest.skip(f"there is no {ORDERCHECK}: scripts/ordercheck builds it")
    text = (ROOT / "docs/guide/placements.md").read_text()
    for language, name in (("json", "config.json"), ("toml", "machine.toml")):
        (tmp_path / name).write_text(text.partition(f"```{language}\n")[2].partition("```")[0])
    transcripts = re.findall(r"^```\n\$ ordercheck ([^\n]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(transcripts) == 2
    for command, expected in transcripts:
        words = [str(ORDERCHECK), *shlex.split(command), "--python", sys.executable]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == expected, done.stderr
