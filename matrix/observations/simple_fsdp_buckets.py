"""Collectives in the graphs that torchtitan's SimpleFSDP has compiled, with and without its pass transformer_block_bucketing.

EFF-006 and EFF-007, with torch and torchtitan alone, on CPU, in one process that stands for rank 0 of 4; its process group
moves nothing. torchtitan's own parallelize_llama applies SimpleFSDP to a llama of two blocks and compiles it with aot_eager.
Printed are the collectives of the forward and the backward graph as compiled. The last case has the pass as torchtitan
configures it, and the partitioner that aot_eager has without the pass.

Usage: PYTHONPATH=<folder with torchtitan and tyro> python simple_fsdp_buckets.py
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import itertools
import logging
import sys
import types
import warnings
from collections import Counter
from typing import Any

import torch
import torch.distributed as dist
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch.testing._internal.distributed.fake_pg import FakeStore

backends: Any = importlib.import_module("torch._dynamo.backends.common")
LENGTH, VOCABULARY, RANKS = 16, 64, 4
MODES: dict[str, dict[str, int]] = {
    "fully_shard": {"shard": RANKS},
    "hybrid_shard": {"replicate": 2, "shard": 2},
    "replicate": {"replicate": RANKS},
}
PASSES = (None, "transformer_block_bucketing")


class Empty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Readers of data sets, which torchtitan imports: nothing of them is called here."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if (
            name.split(".")[0] in ("datasets", "tokenizers", "torchdata", "tensorboard")
            or name == "torch.utils.tensorboard"
        ):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> types.ModuleType:
        class Module(types.ModuleType):
            def __getattr__(self, name: str) -> Any:
                if name.startswith("__"):
                    raise AttributeError(name)
                return type(name, (), {})

        return Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def graphs_of(mode: str, graph_passes: str | None, reshard: str, partitioner: Any = None) -> dict[str, Any]:
    """The graphs that are compiled for forward and backward, the parameters, and the name of what parted the two graphs."""
    from torchtitan.config import ConfigManager
    from torchtitan.distributed import ParallelDims
    from torchtitan.experiments.simple_fsdp.llama3 import get_train_spec
    from torchtitan.models.llama3 import TransformerModelArgs

    degrees = MODES[mode]
    words = ["--job.custom_config_module=torchtitan.experiments.simple_fsdp.job_config"]
    words += ["--compile.enable", "--compile.components=model", "--compile.backend=aot_eager"]
    words += [
        "--activation_checkpoint.mode=none",
        "--training.mixed_precision_param=float32",
        f"--training.seq_len={LENGTH}",
    ]
    words += [f"--parallelism.fsdp_reshard_after_forward={reshard}"]
    words += [f"--compile.graph_passes={graph_passes}"] if graph_passes else []
    config = ConfigManager().parse_args(words)
    sizes = {f"dp_{name}": degrees.get(name, 1) for name in ("replicate", "shard")}
    dims = ParallelDims(**sizes, cp=1, tp=1, pp=1, ep=1, etp=1, world_size=RANKS)
    spec = get_train_spec()
    model: Any = spec.model_cls(
        TransformerModelArgs(
            dim=32,
            n_layers=2,
            n_heads=4,
            n_kv_heads=2,
            multiple_of=8,
            vocab_size=VOCABULARY,
            max_seq_len=LENGTH,
        )
    )
    graphs: dict[str, Any] = {"parameters": len(list(model.parameters()))}
    torch._dynamo.reset()
    compiled = spec.parallelize_fn(model, dims, config)

    original = backends.aot_module_simplified

    def watched(gm: Any, inputs: Any, **arguments: Any) -> Any:
        if partitioner is not None:
            arguments["partition_fn"] = partitioner
        graphs["partitioner"] = getattr(arguments.get("partition_fn"), "__name__", "the default partitioner")
        for name in ("fw", "bw"):
            arguments[f"{name}_compiler"] = keeping(arguments[f"{name}_compiler"], graphs, name)
        return original(gm, inputs, **arguments)

    backends.aot_module_simplified = watched
    try:
        tokens = torch.randint(VOCABULARY, (2, LENGTH + 1))
        spec.build_loss_fn(config)(compiled(tokens[:, :-1]), tokens[:, 1:]).backward()
    finally:
        backends.aot_module_simplified = original
    return graphs


def keeping(compiler: Any, graphs: dict[str, Any], name: str) -> Any:
    def compile_and_keep(gm: torch.fx.GraphModule, inputs: Any) -> Any:
        graphs["kept"] = graphs.get("kept") or kept(gm.graph)
        compiled = compiler(gm, inputs)  # the pass changes the graph that it gets
        graphs[name] = gm.graph
        return compiled

    return compile_and_keep


def collective_of(node: torch.fx.Node) -> str | None:
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
        return None
    namespace, _, name = node.target.name().partition("::")
    if not namespace.startswith("_c10d_functional") or name.startswith("wait"):
        return None
    return next((kind for kind in ("all_gather", "reduce_scatter", "all_reduce") if kind in name), name)


def collectives(graph: torch.fx.Graph) -> str:
    counts = Counter(kind for node in graph.nodes if (kind := collective_of(node)))
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none"


def kept(graph: torch.fx.Graph) -> str:
    """What forward hands to backward of gathered parameters: the operators that made them."""
    counts: Counter[str] = Counter()
    for value in graph.find_nodes(op="output")[0].all_input_nodes:
        node = value
        while (
            len(node.all_input_nodes) == 1
            and node.target is not torch.ops._c10d_functional.wait_tensor.default
        ):
            node = node.all_input_nodes[0]
        if node.target is torch.ops._c10d_functional.wait_tensor.default:
            counts[value.target.name().partition("::")[2]] += 1
    return ", ".join(f"{count} of {name}" for name, count in sorted(counts.items())) or "none"


def order(graph: torch.fx.Graph) -> str:
    """All-gathers, waits, and the first matrix product of each block and of the output layer."""
    seen, words = set(), []
    for node in graph.nodes:
        if collective_of(node) == "all_gather":
            words.append("gather")
        elif node.target is torch.ops._c10d_functional.wait_tensor.default:
            words.append("wait")
        elif node.target in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default):
            module = module_of(node)
            if module not in seen:
                words.append(module)
            seen.add(module)
    line = " ".join(words)
    for count in range(len(words), 1, -1):
        line = line.replace(" ".join(["gather wait"] * count), f"{count}*(gather wait)")
        line = line.replace(" ".join(["gather"] * count), f"{count}*gather")
    return line


def module_of(node: torch.fx.Node) -> str:
    names = [name for name, _ in node.meta.get("nn_module_stack", {}).values()]
    for name in names:
        for part in ("layers.", "layers['", "layers__"):
            if part in name:
                return "block " + name.partition(part)[2][0]
    return "output"


if __name__ == "__main__":
    sys.meta_path.insert(0, Empty())
    torch.set_num_threads(1)
    torch._utils._get_available_device_type = lambda: "cpu"  # torchtitan takes cuda where this finds nothing
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=RANKS)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    print(
        f"torch {torch.__version__}, torchtitan {importlib.metadata.version('torchtitan')}, rank 0 of {RANKS}"
    )
    cases: list[tuple[Any, ...]] = list(itertools.product(MODES, PASSES, ("always", "never")))
    cases.append(("fully_shard", PASSES[1], "always", min_cut_rematerialization_partition))
    for case in cases:
        graphs = graphs_of(*case)
        print(
            f"{case[0]}, pass {case[1]}, reshard {case[2]}, {graphs['parameters']} parameters, {graphs['partitioner']}"
        )
        print(f"  forward: {collectives(graphs['fw'])}; backward: {collectives(graphs['bw'])}")
        print(f"  gathered parameters that forward keeps for backward: {graphs['kept']}")
        print(f"  order in forward: {order(graphs['fw'])}", flush=True)
    dist.destroy_process_group()
