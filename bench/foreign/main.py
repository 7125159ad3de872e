#!/usr/bin/env python3
"""Collects kernels of other compilers, runs them with gpusim, and writes results.md. See README.md."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import evaluate
import table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = {
    "triton": "triton_kernels.py", "nvrtc": "nvrtc_kernels.py", "numba": "numba_kernels.py",
    "cupy": "cupy_kernels.py", "warp": "warp_kernels.py",
}


def environment(cache):
    """A Python environment with the pinned packages; its interpreter."""
    venv = os.path.join(cache, "venv")
    python = os.path.join(venv, "bin", "python")
    with open(os.path.join(HERE, "requirements.txt")) as f:
        wanted = f.read()
    stamp = os.path.join(venv, "requirements.installed")
    if not os.path.exists(stamp) or open(stamp).read() != wanted:
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", os.path.join(HERE, "requirements.txt")], check=True)
        with open(stamp, "w") as f:
            f.write(wanted)
    return python


def collect(python, cache, kernels, only):
    site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
                          check=True, capture_output=True, text=True).stdout.strip()
    env = dict(os.environ, FOREIGN_KERNELS=kernels, CUDA_HOME=os.path.join(site, "nvidia", "cuda_nvcc"),
               WARP_CACHE_PATH=os.path.join(cache, "warp"), TRITON_CACHE_DIR=os.path.join(cache, "triton"))
    for source, script in SOURCES.items():
        if only and source not in only:
            continue
        shutil.rmtree(os.path.join(kernels, source), ignore_errors=True)
        print("collecting", source, file=sys.stderr)
        subprocess.run([python, os.path.join(HERE, "sources", script)], env=env, check=True)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "gpusim-foreign"), help="folder for packages and kernels")
    p.add_argument("--gpusim", help="binary to run (default: built from this checkout)")
    p.add_argument("--only", nargs="*", default=[], choices=SOURCES, help="sources; the table is then printed, not written")
    p.add_argument("--no-collect", action="store_true", help="run what an earlier call has collected")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("-v", action="store_true", help="tell of every kernel that does not end clean")
    a = p.parse_args()
    cache = os.path.abspath(a.cache)
    kernels = os.path.join(cache, "kernels")
    os.makedirs(kernels, exist_ok=True)
    gpusim = a.gpusim
    if gpusim is None:
        gpusim = os.path.join(cache, "gpusim")
        subprocess.run(["go", "build", "-o", gpusim, "./cmd/gpusim"], cwd=ROOT, check=True)
    if not a.no_collect:
        collect(environment(cache), cache, kernels, a.only)
    results = [r for s in (a.only or SOURCES) for r in evaluate.run_all(gpusim, os.path.join(kernels, s), a.jobs)]
    if a.v:
        for r in results:
            if r.verdict != "clean":
                print(r.source, r.module, r.name, r.verdict, dict(r.findings), dict(r.refused), r.message, file=sys.stderr)
    text = table.render(results, os.path.join(HERE, "requirements.txt"))
    if a.only:
        print(text)
        return
    with open(os.path.join(HERE, "results.md"), "w") as f:
        f.write(text)
    table.replace(os.path.join(ROOT, "README.md"), table.totals(results))
    print(table.totals(results))


main()
