"""torchtitan 0.2.2: its models at small sizes, and its own functions, called in the order that a stack says.

Each function below is what a step of torchtitan's parallelize_* calls (models/<model>/infra/parallelize.py), with the
arguments that it is called with there. They come from ParallelDims and JobConfig, that is from the degrees of the case and
torchtitan's defaults; what is applied before and after is told to none of them.

torchtitan trains with bfloat16 parameters under FSDP2. Here parameters are gathered as they are: widened, its "float32" is
float64, and numbers must not depend on the layout."""

from __future__ import annotations

import functools
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest.mock import patch

import torch
from ordercheck_pytorch.program.case import Case, Item
from ordercheck_pytorch.program.data import SEQUENCE_LENGTH, VOCABULARY
from ordercheck_pytorch.program.marks import SCOPE, marked
from ordercheck_pytorch.program.stand_in import NOTE, stand_in_for_inductor
from ordercheck_pytorch.program.subject_file import Published
from ordercheck_pytorch.program.transforms.subject import Pipeline, Site, Subject
from ordercheck_pytorch.program.transforms.transform import Transform
from torch import nn
from torch._dynamo.eval_frame import OptimizedModule
from torch._subclasses.fake_impls import register_op_impl
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

PLAIN: dict[str, Any] = {}  # functions of torchtitan as it defines them
BUCKETING = {"transformer_block": "transformer_block_bucketing", "auto": "auto_bucketing"}
SCHEDULES = {"gpipe": "GPipe", "1f1b": "1F1B"}
WITHOUT_EXPERTS = ("llama", "llama3", "qwen3")
# One MoE block behind one dense block: 8 experts, of which 4 ranks hold two each.
EXPERTS = {"num_experts": 8, "top_k": 3, "load_balance_coeff": 1e-3}


def part(name: str) -> Any:
    """A module of torchtitan. None is imported with this file, which is read where torchtitan is not to be run."""
    return import_module(f"torchtitan.{name}")


def prepare(device: str) -> None:
    # torchtitan takes the accelerator that torch finds, or "cuda" where it finds none.
    with patch("torch._utils._get_available_device_type", lambda: device):
        part("tools.utils")
    if device == "cpu":
        part("models.moe.kernels").fill_indices_wrapper = fill_indices
        register_op_impl(torch.ops.aten.histc.default)(shape_of_histc)
        register_sharding(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default)(
            attention_by_heads
        )
        register_sharding(torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default)(
            attention_backward_by_heads
        )


def begin() -> None:
    """What apply_ac and apply_compile of a case before set in this process, and a counter of blocks."""
    eval_frame: Any = torch._C._dynamo.eval_frame
    eval_frame._set_lru_cache(True)
    torch._dynamo.config.capture_scalar_outputs = False
    part("distributed.activation_checkpoint")._layer_sac_count = 0
    moe = part("models.moe.moe")
    moe._run_experts_grouped_mm = PLAIN.setdefault("grouped", moe._run_experts_grouped_mm)


def fill_indices(
    lengths: torch.Tensor, begins: torch.Tensor, offsets: torch.Tensor, experts: int, ranks: int, size: int
) -> torch.Tensor:
    """Where the token of each place comes from, -1 for none: what its Triton kernel and fill_indices_cpu give. The latter asks
    for numbers in Python, which a graph of the whole model cannot hold."""
    lengths, begins = (
        each.view(ranks, experts).T.flatten() for each in (lengths, begins)
    )  # by expert, then by rank
    within = lengths.view(experts, ranks).cumsum(1) - lengths.view(experts, ranks)
    places = (offsets.unsqueeze(1) + within).flatten()
    at = torch.arange(size, device=lengths.device)
    segment = torch.searchsorted(places, at, right=True) - 1
    index = at - places[segment]
    return torch.where(index < lengths[segment], begins[segment] + index, -1).to(torch.int32)


def shape_of_histc(
    mode: Any, operator: Any, x: torch.Tensor, bins: int = 100, *more: Any, **bounds: Any
) -> torch.Tensor:
    return x.new_empty(bins)


def attention_by_heads(q: Any, k: Any, v: Any, *more: Any, **options: Any) -> list[Any]:
    """Output and logsumexp of q, k and v, each [batch, heads, ...], whole or split over heads."""
    return [([p] * 2, [p] * 3 + [None] * len(more)) for p in (Replicate(), Shard(1))]


def attention_backward_by_heads(*arguments: Any, **options: Any) -> list[Any]:
    """Gradients of q, k and v, of the output's, q, k, v, the output and logsumexp."""
    return [([p] * 3, [p] * 6 + [None] * (len(arguments) - 6)) for p in (Replicate(), Shard(1))]


def configured(case: Case) -> dict[str, Any]:
    """What SimpleFSDP does about buckets, and about gathered parameters after forward, are passes over a captured graph. Both
    are the job's configuration, which torchtitan's compile reads."""
    arguments: dict[str, Any] = {}
    for item in case.items:
        if item.name.startswith("simple_") and "bucket" in item.options:
            arguments["compile.graph_passes"] = BUCKETING[item.options["bucket"]]
        if item.name.startswith("simple_") and "reshard" in item.options:
            arguments["parallelism.fsdp_reshard_after_forward"] = item.options["reshard"]
    return {"arguments": arguments}


def job_config(site: Site) -> Any:
    """As torchtitan's command line makes it, of the degrees of the case. Its own defaults for the rest, but for the dtype."""
    degrees = site.degrees
    arguments = {
        "training.seq_len": SEQUENCE_LENGTH,
        "training.mixed_precision_param": "float32",
        "parallelism.data_parallel_replicate_degree": degrees["dp_replicate"],
        "parallelism.data_parallel_shard_degree": degrees["dp_shard"],
        "parallelism.context_parallel_degree": degrees["cp"],
        "parallelism.tensor_parallel_degree": degrees["tp"],
        "parallelism.pipeline_parallel_degree": degrees["pp"],
        "parallelism.expert_parallel_degree": degrees.get("ep", 1),
        "parallelism.expert_tensor_parallel_degree": degrees.get("etp", 1),
        "job.custom_config_module": "torchtitan.experiments.simple_fsdp.job_config",  # adds compile.graph_passes
        **site.kept.get("arguments", {}),
    }
    words = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
    return part("config").ConfigManager().parse_args(words)


def parallel_dims(site: Site) -> Any:
    """One a case: its meshes are process groups of the world."""
    if "parallel_dims" not in site.kept:
        degrees = site.degrees
        sizes = {axis: degrees[axis] for axis in ("dp_replicate", "dp_shard", "cp", "tp", "pp")}
        world = functools.reduce(lambda a, b: a * b, sizes.values())
        site.kept["parallel_dims"] = part("distributed").ParallelDims(
            **sizes, ep=degrees.get("ep", 1), etp=degrees.get("etp", 1), world_size=world
        )
    return site.kept["parallel_dims"]


def infra_of(subject: Subject) -> ModuleType:
    """The parallelize.py of its family."""
    return import_module(family_of(subject.model) + ".infra.parallelize")


def family_of(model: nn.Module) -> str:
    inner: Any = model if hasattr(model, "model_args") else model.module
    return type(inner.model_args).__module__.partition(".model.")[0]


def apply_tp(subject: Subject, item: Item, site: Site) -> None:
    """Of everything but experts, loss parallel as it is by default; then of the experts of a MoE model."""
    infra, dims = infra_of(subject), parallel_dims(site)
    apply = getattr(infra, "apply_non_moe_tp", None) or infra.apply_tp
    arguments = {"loss_parallel": True, "enable_float8_tensorwise_tp": False}
    arguments |= {"enable_async_tp": False, "cp_enabled": dims.cp_enabled}  # not every model's has these two
    known = apply.__code__.co_varnames[: apply.__code__.co_argcount]
    apply(
        subject.model, dims.get_mesh("tp"), **{name: arguments[name] for name in arguments if name in known}
    )
    context = part("distributed.utils").get_train_context(True)
    subject.around_loss.append(context)
    if hasattr(infra, "apply_moe_ep_tp") and not dims.ep_enabled:
        apply_moe(infra, subject, dims)


def apply_ep(subject: Subject, item: Item, site: Site) -> None:
    """Of experts, and where the mesh has a tp axis of router and shared experts too: torchtitan has one function for both."""
    apply_moe(infra_of(subject), subject, parallel_dims(site))


def apply_moe(infra: ModuleType, subject: Subject, dims: Any) -> None:
    infra.apply_moe_ep_tp(
        subject.model,
        tp_mesh=dims.get_optional_mesh("tp"),
        ep_mesh=dims.get_optional_mesh("ep"),
        etp_mesh=dims.get_optional_mesh("etp"),
        ep_etp_mesh=dims.get_optional_mesh(["ep", "etp"]),
    )


def checkpoint(subject: Subject, site: Site, mode: str, option: str) -> None:
    config = job_config(site).activation_checkpoint
    config.mode, config.selective_ac_option = mode, option
    part("distributed.activation_checkpoint").apply_ac(
        subject.model, config, op_sac_save_list=infra_of(subject)._op_sac_save_list
    )


def apply_ac(subject: Subject, item: Item, site: Site) -> None:
    """Of every block; ac=selective of every second, or n-th, one."""
    selective = item.mode == "selective"
    checkpoint(subject, site, "selective" if selective else "full", item.options.get("n", "2"))


def apply_sac(subject: Subject, item: Item, site: Site) -> None:
    checkpoint(subject, site, "selective", "op")


def apply_compile(subject: Subject, item: Item, site: Site) -> None:
    if not item.mode:
        subject.notes.append(NOTE)
    if item.scope == "model":
        compile_model(subject, item, site)
        return
    infra, dims = infra_of(subject), parallel_dims(site)
    config = job_config(site).compile
    config.backend = item.mode or stand_in_for_inductor
    before = set(compiled_modules(subject.model))
    if hasattr(infra, "apply_moe_ep_tp"):
        infra.apply_compile(subject.model, config, dims.ep_enabled)
    else:
        infra.apply_compile(subject.model, config)
    for module in compiled_modules(subject.model):
        if module not in before:  # for the profile, which is to tell what of it ran in graphs
            module.forward = marked(SCOPE, module.forward)


def compile_model(subject: Subject, item: Item, site: Site) -> None:
    """As experiments/simple_fsdp compiles: the whole model, with passes of its own over the captured graph."""
    config, model = job_config(site), subject.model
    config.compile.backend = item.mode or stand_in_for_inductor
    policy = config.parallelism.fsdp_reshard_after_forward
    buckets = (
        simple_fsdp_of(model).get_transformer_block_buckets(model) if config.compile.graph_passes else None
    )
    backend = part("experiments.simple_fsdp.backend").get_compile_backend_with_passes(
        config.compile,
        policy == "always" or (policy == "default" and not parallel_dims(site).pp_enabled),
        buckets,
    )
    torch._inductor.config.reorder_for_peak_memory = False
    torch._dynamo.config.capture_scalar_outputs = True  # as it does for MoE models
    subject.model = torch.compile(model, backend=backend, fullgraph=True)  # type: ignore[assignment]
    subject.model.forward = marked(SCOPE, subject.model.forward)


def simple_fsdp_of(model: nn.Module) -> ModuleType:
    """Its parallelize.py of the model's family; llama3's where it has none."""
    family = family_of(model).rpartition(".")[2]
    return part(
        f"experiments.simple_fsdp.{'deepseek_v3' if family == 'deepseek_v3' else 'llama3'}.parallelize"
    )


def compiled_modules(model: nn.Module) -> list[OptimizedModule]:
    return [module for module in model.modules() if isinstance(module, OptimizedModule)]


def apply_fsdp(subject: Subject, item: Item, site: Site) -> None:
    shard(subject, item, site, ["fsdp"], ["efsdp"])


def apply_hsdp(subject: Subject, item: Item, site: Site) -> None:
    shard(subject, item, site, ["dp_replicate", "fsdp"], ["dp_replicate", "efsdp"])


def shard(subject: Subject, item: Item, site: Site, names: list[str], names_of_experts: list[str]) -> None:
    infra, dims = infra_of(subject), parallel_dims(site)
    dtypes, config = part("config").TORCH_DTYPE_MAP, job_config(site)
    arguments: dict[str, Any] = {
        "param_dtype": dtypes[config.training.mixed_precision_param],
        "reduce_dtype": dtypes[config.training.mixed_precision_reduce],
        "pp_enabled": dims.pp_enabled,
        "reshard_after_forward_policy": item.options.get("reshard", "default"),
    }
    if hasattr(infra, "apply_moe_ep_tp"):
        arguments |= {
            "ep_degree": dims.ep,
            "edp_mesh": dims.get_optional_mesh(names_of_experts),
            "gradient_divide_factor": dims.fsdp_gradient_divide_factor,
        }
    infra.apply_fsdp(subject.model, dims.get_mesh(names), **arguments)


def apply_simple_fsdp(subject: Subject, item: Item, site: Site) -> None:
    simple_fsdp(subject, item, site, "fully_shard", ["fsdp"], ["efsdp"])


def apply_simple_hsdp(subject: Subject, item: Item, site: Site) -> None:
    simple_fsdp(subject, item, site, "hybrid_shard", ["dp_replicate", "fsdp"], ["dp_replicate", "efsdp"])


def apply_simple_replicate(subject: Subject, item: Item, site: Site) -> None:
    simple_fsdp(subject, item, site, "replicate", ["dp_replicate"], ["dp_replicate", "efsdp"])


def simple_fsdp(
    subject: Subject, item: Item, site: Site, mode: str, names: list[str], names_of_experts: list[str]
) -> None:
    """Of experiments/simple_fsdp; with experts of a mesh of their own, these before the model."""
    dims, dtypes, config = parallel_dims(site), part("config").TORCH_DTYPE_MAP, job_config(site).training
    parallel = part("experiments.simple_fsdp.simple_fsdp")
    policy = parallel.MixedPrecisionPolicy(
        param_dtype=dtypes[config.mixed_precision_param], reduce_dtype=dtypes[config.mixed_precision_reduce]
    )
    if dims.ep_enabled:
        model: Any = subject.model
        mesh = dims.get_mesh(names_of_experts)
        for block in model.layers.values():
            if block.moe_enabled:
                experts = block.moe.experts
                among = mesh["efsdp"].size() * dims.ep > experts.num_experts
                block.moe.experts = parallel.data_parallel(
                    experts, mesh, mode, mp_policy=policy, shard_dim=1 if among else 0
                )
    subject.model = parallel.data_parallel(subject.model, dims.get_mesh(names), mode, mp_policy=policy)


def apply_ddp(subject: Subject, item: Item, site: Site) -> None:
    """Nothing is multiplied afterwards: torchtitan's trainer takes gradients as its `replicate` leaves them."""
    infra = infra_of(subject)
    # It sets Dynamo's optimize_ddp to what it is by default.
    infra.apply_ddp(subject.model, parallel_dims(site).get_mesh("dp_replicate"), enable_compile=False)


def apply_pp(subject: Subject, item: Item, site: Site) -> None:
    """One stage a rank: what pipeline_llm does before and after its parallelize_fn."""
    pipelining = part("distributed.pipeline_parallel")
    dims, config = parallel_dims(site), job_config(site).parallelism
    schedule = next((name for name in SCHEDULES if name in item.options), "1f1b")
    model: Any = subject.model
    names = pipelining.generate_llm_fqn_per_model_part(
        dims.pp,
        model.model_args.n_layers,
        config.pipeline_parallel_first_stage_less_layers,
        config.pipeline_parallel_last_stage_less_layers,
    )
    mesh = dims.get_mesh("pp")
    stages, parts = pipelining.pipeline_module_split(
        model, mesh, SCHEDULES[schedule], torch.device(site.device), names
    )
    subject.model = parts[0]
    subject.pipeline = Pipeline(
        schedule=schedule,
        microbatches=int(item.options["microbatches"]) if "microbatches" in item.options else None,
        stage=stages[0].stage_index,
        stages=len(names),
        group=mesh.get_group(),
        divides_loss=False,  # the schedule's loss is the sum; the trainer divides what it reports
    )


def apply_optimizer(subject: Subject, item: Item, site: Site) -> None:
    options = item.options
    build(subject, site, options.get("lr", "1e-2"), options.get("weight_decay"), float(options.get("clip", "0")))


def build_optimizers(subject: Subject, site: Site) -> None:
    """Of a stack that names none. Its max_norm is 1 by default, which no gradient of these small models reaches: clipping would
    not be tested."""
    build(subject, site, "1e-2", None, 2.0**-5)


def build(subject: Subject, site: Site, lr: str, weight_decay: str | None, max_norm: float) -> None:
    """AdamW as it is built by default, one tensor at a time on a CPU; clipped to max_norm as train_step does. MoE models
    update the bias that balances their experts in a hook of it."""
    spec = import_module(family_of(subject.model)).get_train_spec()
    config = job_config(site)
    config.optimizer.implementation = "for-loop"
    config.optimizer.lr = float(lr)
    if weight_decay is not None:
        config.optimizer.weight_decay = float(weight_decay)
    subject.optimizer = spec.build_optimizers_fn([subject.model], config.optimizer, parallel_dims(site))
    dims = parallel_dims(site)
    if max_norm == 0:
        return
    clip = functools.partial(
        part("distributed.utils").clip_grad_norm_,
        max_norm=max_norm,
        foreach=True,
        pp_mesh=dims.get_optional_mesh("pp"),
        ep_enabled=dims.ep_enabled,
    )
    subject.max_norm = max_norm
    subject.clips_by = lambda model: clip(list(model.parameters()))


def cannot_optimize(item: Item) -> str:
    if item.mode == "sgd":
        return "optimizer=sgd is not built for torchtitan; expected adamw"
    if item.options.get("clip") == "per_mesh":
        return "optimizer:clip=per_mesh is what torchtitan's clipping does; expected a number"
    return cannot_size(item)


def loss(output: Any, labels: torch.Tensor) -> torch.Tensor:
    total: torch.Tensor = part("components.loss").cross_entropy_loss(output, labels)
    return total


def model_of(family: str, sizes: dict[str, Any]) -> nn.Module:
    """Built and initialized as its trainer does, but on the device at once."""
    spec = part(f"models.{family}").get_train_spec()
    arguments = type(spec.model_args["debugmodel"])
    config = part("config").JobConfig()
    config.training.seq_len = SEQUENCE_LENGTH
    made = arguments(vocab_size=VOCABULARY, **sizes)
    made.update_from_config(config)
    model: nn.Module = spec.model_cls(made)
    with torch.no_grad():
        model.init_weights()  # type: ignore[operator]
    return model.train()


def experts(**more: Any) -> Any:
    return part("models.moe").MoEArgs(**EXPERTS, **more)


def llama3() -> nn.Module:
    return model_of("llama3", {"dim": 48, "n_layers": 2, "n_heads": 12, "n_kv_heads": 4, "multiple_of": 8})


def llama4() -> nn.Module:
    sizes = {"dim": 48, "n_layers": 2, "n_heads": 12, "n_kv_heads": 4, "multiple_of": 8}
    return model_of("llama4", sizes | {"moe_args": experts(score_before_experts=True)})


def deepseek_v3() -> nn.Module:
    sizes = {
        "dim": 48,
        "inter_dim": 96,
        "moe_inter_dim": 32,
        "n_layers": 2,
        "n_dense_layers": 1,
        "n_heads": 8,
    }
    heads = {"kv_lora_rank": 16, "qk_nope_head_dim": 4, "qk_rope_head_dim": 4, "v_head_dim": 4, "mscale": 0.7}
    moe = experts(num_shared_experts=2, score_func="softmax", score_before_experts=False)
    return model_of("deepseek_v3", sizes | heads | {"moe_args": moe})


def deepseek_v3_idle() -> nn.Module:
    """Its experts 2 and 3, all that the second of 4 ranks holds, are never chosen, and the first one always is: by the bias
    that it adds to scores where it chooses."""
    model: Any = deepseek_v3()
    for block in model.layers.values():
        if block.moe_enabled:
            block.moe.expert_bias.copy_(torch.tensor([100.0, 0, -100, -100, 0, 0, 0, 0]))
    return model  # type: ignore[no-any-return]


def qwen3() -> nn.Module:
    return model_of(
        "qwen3", {"dim": 48, "n_layers": 2, "n_heads": 12, "n_kv_heads": 4, "head_dim": 4, "hidden_dim": 96}
    )


def qwen3_moe() -> nn.Module:
    sizes = {"dim": 48, "n_layers": 2, "n_heads": 12, "n_kv_heads": 4, "head_dim": 4, "hidden_dim": 96}
    # Unlike llama4 and deepseek_v3 it does not turn to a loop over experts by itself where there is no grouped product.
    moe = experts(
        num_shared_experts=0,
        score_func="softmax",
        route_norm=True,
        score_before_experts=False,
        use_grouped_mm=False,
    )
    return model_of("qwen3", sizes | {"moe_enabled": True, "moe_inter_dim": 32, "moe_args": moe})


def one_schedule(item: Item) -> str:
    unknown = [name for name in item.options if name not in SCHEDULES and name != "microbatches"]
    return (
        f"pp:{unknown[0]} is not built for torchtitan; expected {' or '.join(SCHEDULES)}" if unknown else ""
    )


def cannot(case: Case) -> str:
    experts = [item for item in case.items if item.name == "ep"]
    if not experts:
        return ""
    item, tp = experts[0], case.mesh["tp"]
    if case.model in WITHOUT_EXPERTS:
        return f"{case.model} has no experts; expected another model than {', '.join(WITHOUT_EXPERTS)}"
    if not item.degrees:
        return "ep needs a degree: ep=2"
    etp = int(item.options.get("etp", "1"))
    return "" if etp in (1, tp) else f"ep:etp is 1 or the degree of tp; expected etp={tp}, got etp={etp}"


SUBJECT = Published(
    requirements=("torchtitan==0.2.2", "tyro==1.0.17", "docstring-parser==0.18.0", "typeguard==4.6.0"),
    models={
        # What rule pages mean: a stack of no model, and one of a model with experts.
        "llama": llama3,
        "moe": deepseek_v3,
        "llama3": llama3,
        "llama4": llama4,
        "deepseek_v3": deepseek_v3,
        "deepseek_v3_idle": deepseek_v3_idle,
        "qwen3": qwen3,
        "qwen3_moe": qwen3_moe,
    },
    transforms={
        "pp": Transform(apply_pp, ("gpipe", "1f1b", "microbatches"), cannot=one_schedule),
        "tp": Transform(apply_tp),
        "ep": Transform(apply_ep, ("etp",), ("experts",)),
        "ac": Transform(apply_ac, ("n",), ("block",)),
        "sac": Transform(apply_sac, scopes=("block",)),
        "compile": Transform(apply_compile, scopes=("block", "model")),
        "simple_fsdp": Transform(apply_simple_fsdp, ("bucket", "reshard")),
        "simple_hsdp": Transform(apply_simple_hsdp, ("bucket", "reshard")),
        "simple_replicate": Transform(apply_simple_replicate, ("bucket", "reshard")),
        "fsdp": Transform(apply_fsdp, ("reshard",), ("block",)),
        "hsdp": Transform(apply_hsdp, ("reshard",), ("block",)),
        "ddp": Transform(apply_ddp),
        "optimizer": Transform(apply_optimizer, ("clip", "lr", "weight_decay"), cannot=cannot_optimize),
    },
    loss=loss,
    optimizer=build_optimizers,
    widened=("torchtitan",),
    absent={
        "datasets": "reads data sets",
        "tokenizers": "makes tokens of text",
        "torchdata": "loads data",
        "torch.utils.tensorboard": "writes metrics",
    },
    stand_ins={
        "torch's name of the device of the case": "torchtitan takes an accelerator, or cuda where there is none",
        "a fill of indices by searchsorted": "its fill_indices_wrapper is a Triton kernel",
        "a rule that splits attention over heads": "DTensor has one for the kernels of CUDA, not for those of the CPU",
        "a count in float64": "torch's histc, with which tokens are counted for experts, takes no whole numbers on a CPU",
    },
    prepare=prepare,
    begin=begin,
    configured=configured,
    cannot=cannot,
)
