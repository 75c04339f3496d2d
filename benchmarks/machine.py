"""What the numbers were taken on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numba", "llvmlite", "numpy", "icepool", "dyce", "warhammer-stats")


def machine() -> dict[str, object]:
    """The processor and the system."""
    return {
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.system(),
        "vectors": widest_vectors(),
    }


def versions() -> dict[str, str]:
    """Python and the packages that matter."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def cpu_lines(key: str) -> list[str]:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return []
    return [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith(key)]


def processor() -> str:
    return next(iter(cpu_lines("model name")), platform.processor() or "unknown")


def widest_vectors() -> str:
    flags = set(next(iter(cpu_lines("flags")), "").split())
    return next((name for name in ("avx512bw", "avx2", "sse2") if name in flags), "unknown")
