"""What the steps of its parallelize_* call (models/<model>/infra/parallelize.py), with the arguments that they are called with
there: tensor and expert parallelism, and the data-parallel family that it shares with PyTorch."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ordercheck_pytorch.api import Item, Program, Site

from .job import job_config, parallel_dims
from .package import infra_of, part


def apply_tp(program: Program, item: Item, site: Site) -> None:
    """Of everything but experts, loss parallel as it is by default; then of the experts of a MoE model."""
    infra, dims = infra_of(program), parallel_dims(site)
    apply = getattr(infra, "apply_non_moe_tp", None) or infra.apply_tp
    arguments = {"loss_parallel": True, "enable_float8_tensorwise_tp": False}
    arguments |= {"enable_async_tp": False, "cp_enabled": dims.cp_enabled}  # not every model's has these two
    known = apply.__code__.co_varnames[: apply.__code__.co_argcount]
    apply(
        program.model, dims.get_mesh("tp"), **{name: arguments[name] for name in arguments if name in known}
    )
    context = part("distributed.utils").get_train_context(True)
    program.around_loss.append(context)
    if hasattr(infra, "apply_moe_ep_tp") and not dims.ep_enabled:
        apply_moe(infra, program, dims)


def apply_ep(program: Program, item: Item, site: Site) -> None:
    """Of experts, and where the mesh has a tp axis of router and shared experts too: torchtitan has one function for both."""
    apply_moe(infra_of(program), program, parallel_dims(site))


def apply_moe(infra: ModuleType, program: Program, dims: Any) -> None:
    infra.apply_moe_ep_tp(
        program.model,
        tp_mesh=dims.get_optional_mesh("tp"),
        ep_mesh=dims.get_optional_mesh("ep"),
        etp_mesh=dims.get_optional_mesh("etp"),
        ep_etp_mesh=dims.get_optional_mesh(["ep", "etp"]),
    )


def apply_fsdp(program: Program, item: Item, site: Site) -> None:
    shard(program, item, site, ["fsdp"], ["efsdp"])


def apply_hsdp(program: Program, item: Item, site: Site) -> None:
    shard(program, item, site, ["dp_replicate", "fsdp"], ["dp_replicate", "efsdp"])


def shard(program: Program, item: Item, site: Site, names: list[str], names_of_experts: list[str]) -> None:
    infra, dims = infra_of(program), parallel_dims(site)
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
    infra.apply_fsdp(program.model, dims.get_mesh(names), **arguments)


def apply_ddp(program: Program, item: Item, site: Site) -> None:
    """Nothing is multiplied afterwards: torchtitan's trainer takes gradients as its `replicate` leaves them."""
    infra = infra_of(program)
    # It sets Dynamo's optimize_ddp to what it is by default.
    infra.apply_ddp(program.model, parallel_dims(site).get_mesh("dp_replicate"), enable_compile=False)
