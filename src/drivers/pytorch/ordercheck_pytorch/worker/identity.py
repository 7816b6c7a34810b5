"""Who this worker is: versions, devices, and the hash of its program."""

from __future__ import annotations

import hashlib
import os
import platform
from pathlib import Path

import torch

# Where the environment names a published project, "torchtitan@0.2.2", the worker is the engine of that project.
SUBJECT = os.environ.get("ORDERCHECK_SUBJECT", "")
ENGINE = SUBJECT.partition("@")[0] or "pytorch"


def versions() -> list[str]:
    """Without what follows a plus sign: it names a build for a device, and the release is the same."""
    torch_version = f"torch {torch.__version__.partition('+')[0]}"
    return [SUBJECT.replace("@", " "), torch_version] if SUBJECT else [torch_version]


def devices() -> list[str]:
    """CUDA is asked for through NVML: to touch it would be felt in every rank that is forked."""
    count = getattr(torch.cuda, "_device_count_nvml", lambda: -1)
    has_nccl = torch.distributed.is_nccl_available()
    return ["cpu", "cuda"] if torch.version.cuda and has_nccl and count() > 0 else ["cpu"]


def content_hash() -> str:
    """Of the package's sources, the files of subjects, torch and Python: another of any may give another record."""
    digest = hashlib.sha256(f"torch {torch.__version__} python {platform.python_version()}\n".encode())
    package = Path(__file__).parent.parent
    checkout = package.parent.parent.parent.parent
    for source in [*sorted(package.rglob("*.py")), *sorted((checkout / "matrix" / "subjects").glob("*.py"))]:
        content = source.read_bytes()
        digest.update(f"{source.relative_to(checkout)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
