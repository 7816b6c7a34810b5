"""Who a worker is: versions, devices, and the hash of its program."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import torch

from ..torch_compat import gpus_by_nvml
from .program import Program


def engine_of(program: Program) -> str:
    """The published project's name; this engine's without one."""
    return program.project or "pytorch"


def versions_of(program: Program) -> list[str]:
    """Without what follows a plus sign: it names a build for a device, and the release is the same."""
    torch_version = f"torch {torch.__version__.partition('+')[0]}"
    project = f"{program.project} {program.project_version}"
    return [project, torch_version] if program.project else [torch_version]


def devices(in_use: str) -> list[str]:
    """What ranks run on first. CUDA is asked for through NVML: to touch it would be felt in every rank that is forked."""
    has_nccl = torch.distributed.is_nccl_available()
    there = ["cpu", "cuda"] if torch.version.cuda and has_nccl and gpus_by_nvml() > 0 else ["cpu"]
    return sorted(there, key=lambda device: device != in_use)


def content_hash(program: Program) -> str:
    """Of the package's sources, those of the project's driver, torch and Python: another of any may give another record."""
    digest = hashlib.sha256(f"torch {torch.__version__} python {platform.python_version()}\n".encode())
    package = Path(__file__).parent.parent
    drivers = package.parent.parent
    for source in [*sorted(package.rglob("*.py")), *program.project_sources]:
        content = source.read_bytes()
        name = source.relative_to(drivers) if source.is_relative_to(drivers) else source
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
