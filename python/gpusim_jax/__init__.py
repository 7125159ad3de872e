"""Runs Pallas Mosaic GPU kernels on gpusim in place of JAX's GPU interpret mode.

    import gpusim_jax
    gpusim_jax.install()

After that, every kernel that JAX would run in GPU interpret mode
(`interpret=InterpretGPUParams(...)` or under `force_gpu_interpret_mode`) runs on gpusim.
"""

from gpusim_jax._engine import EngineError, find_binary
from gpusim_jax._export import UnsupportedError
from gpusim_jax._hook import check, export, install, installed, last_report, uninstall
from gpusim_jax._report import Finding, KernelError, Report

__all__ = [
    "EngineError",
    "Finding",
    "KernelError",
    "Report",
    "UnsupportedError",
    "check",
    "export",
    "find_binary",
    "install",
    "installed",
    "last_report",
    "uninstall",
]
