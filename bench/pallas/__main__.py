"""Measures gpusim beside JAX's own GPU interpreter, in one process; see ../README.md."""

import argparse
import contextlib
import datetime
import logging
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import gpusim_jax
import jax
import numpy as np
import workloads
from gpusim_jax import _engine
from jax._src.pallas.mosaic_gpu.interpret import gpu_callbacks

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- pallas:begin -->", "<!-- pallas:end -->"


def once(call, args):
  start = time.perf_counter()
  out = jax.block_until_ready(call(*args))
  return out, time.perf_counter() - start


def measure(w, repetitions, seconds):
  """The first call and the median of the calls after it, in seconds, and how many those were."""
  jax.clear_caches()
  call = jax.jit(lambda *args: w.call(*args))
  out, cold = once(call, w.args)
  np.testing.assert_allclose(np.asarray(out, np.float64), np.asarray(w.want, np.float64), rtol=w.rtol, atol=w.rtol * 10)
  if gpu_callbacks.get_races().races_found:
    raise SystemExit(f"{w.name}: a race was found")
  warm = []
  start = time.perf_counter()
  while len(warm) < 3 or len(warm) < repetitions and time.perf_counter() - start < seconds:
    warm.append(once(call, w.args)[1])
  return cold, statistics.median(warm), len(warm)


def on_gpusim(w, repetitions, seconds):
  _engine.close()  # a cold call starts the process
  with gpusim_jax.install():
    return measure(w, repetitions, seconds)


def on_jax(w, repetitions, seconds):
  gpu_callbacks.reset_gpu_interpret_mode_state()
  return measure(w, repetitions, seconds)


def ms(seconds):
  value = seconds * 1000
  return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(x):
  return f"{x:.0f}x" if x >= 20 else f"{x:.1f}x"


def setting(command):
  cpu = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "?")
  commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False).stdout.strip()
  return [
      f"- machine: {cpu}, {os.cpu_count()} CPUs; {platform.system()} {platform.release()}",
      f"- load average at the end: {os.getloadavg()[0]:.2f}",
      f"- commit: {commit}; date: {datetime.date.today()}",
      f"- command: `{command}`",
      f"- versions: JAX {jax.__version__}, Python {platform.python_version()}, NumPy {np.__version__}",
  ]


def table(rows):
  out = [
      "| kernel | | JAX, cold | gpusim, cold | faster | JAX, warm | gpusim, warm | faster |",
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
  ]
  cold, warm = [], []
  for w, (jc, jw, jn), (gc, gw, gn) in rows:
    if w.ratio:
      cold.append(jc / gc)
      warm.append(jw / gw)
    out.append(f"| {w.name} | {w.what} | {ms(jc)} | {ms(gc)} | {times(jc / gc)} | {ms(jw)} ({jn}) | {ms(gw)} ({gn}) | {times(jw / gw)} |")
  if not warm:
    return out
  mean = lambda list_: math.exp(statistics.mean(map(math.log, list_)))
  out.append(f"| **geometric mean** | | | | {times(mean(cold))} | | | **{times(mean(warm))}** |")
  out.append(f"| **least** | | | | {times(min(cold))} | | | **{times(min(warm))}** |")
  targets = [
      "", "| target | limit | measured | met |", "| --- | ---: | ---: | --- |",
      target("warm, geometric mean", "at least 100x faster", times(mean(warm)), mean(warm) >= 100),
      target("warm, least", "at least 20x faster", times(min(warm)), min(warm) >= 20),
  ]
  for w, _, (_, gw, _) in rows:
    if not w.ratio:
      targets.append(target(f"warm, a call of the {w.name}, which does not count above", "less than 10 ms", ms(gw) + " ms", gw < 0.01))
  return out + targets


def target(what, limit, measured, met):
  return f"| {what} | {limit} | {measured} | {'yes' if met else '**no**'} |"


def section(rows, command, missing):
  lines = [
      BEGIN, "", "## Pallas kernels beside JAX's GPU interpreter", "",
      "Written by the command below; not edited by hand. Both run in one process with `detect_races=True`; their results are compared"
      " with NumPy's, and neither may find a race. Times in ms of whole calls of a jitted function: *cold* is the first one (tracing, export,"
      " compilation, for gpusim also the start of its process), *warm* the median of as many as in brackets after it.", "",
      *setting(command), "", *table(rows), "",
  ]
  if missing:
    lines += ["Not measured, because one of them does not run it:", "", *(f"- {name}: {why}" for name, why in missing), ""]
  return "\n".join(lines + [END]) + "\n"


def put(path, text):
  """Replaces what is between the markers, or appends it."""
  old = path.read_text() if path.exists() else ""
  if BEGIN in old and END in old:
    head, rest = old.split(BEGIN, 1)
    new = head + text + rest.split(END, 1)[1].removeprefix("\n")
  else:
    new = old.rstrip("\n") + "\n\n" + text if old else text
  path.write_text(new)


def main():
  p = argparse.ArgumentParser(prog="python bench/pallas")
  p.add_argument("--only", default="", help="kernels with this word; the table is printed and not written")
  p.add_argument("--repetitions", type=int, default=15, help="warm calls at most")
  p.add_argument("--seconds", type=float, default=30, help="for the warm calls of one kernel; three are made in any case")
  p.add_argument("--smoke", action="store_true", help="small sizes: does it run at all? The table is printed and not written")
  p.add_argument("-o", type=pathlib.Path, default=HERE.parent / "results.md", help="file with the markers of the table")
  o = p.parse_args()
  logging.disable(logging.WARNING)
  rows, missing = [], []
  for w in workloads.all_workloads(o.smoke):
    if o.only not in w.name:
      continue
    print(w.name, end="", flush=True, file=sys.stderr)
    try:
      results = []
      for name, run in (("gpusim", on_gpusim), ("JAX", on_jax)):
        results.append(run(w, o.repetitions, o.seconds))
        print(f"  {name} {ms(results[-1][0])} {ms(results[-1][1])}", end="", flush=True, file=sys.stderr)
      rows.append((w, results[1], results[0]))
    except Exception as e:
      text = next((line for line in reversed(str(e).splitlines()) if line.strip()), type(e).__name__)
      missing.append((w.name, f"{name}: {text}"))
      with contextlib.suppress(Exception):
        gpu_callbacks.reset_gpu_interpret_mode_state()
      print(f"  {name} fails: {text}", end="", file=sys.stderr)
    print(file=sys.stderr)
  if not rows:
    raise SystemExit("nothing was measured")
  text = section(rows, "python " + " ".join(["bench/pallas", *sys.argv[1:]]), missing)
  if o.only or o.smoke:
    print(text)
  else:
    put(o.o, text)


if __name__ == "__main__":
  main()
