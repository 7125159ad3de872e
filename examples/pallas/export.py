#!/usr/bin/env python3
"""Writes the kernels of this folder as programs that gpusim runs without Python.

    examples/pallas/export.py [NAME...]

Needs JAX and gpusim_jax. It writes NAME/VARIANT.json, the inputs that the variants share
(NAME/inN.bin) and what numpy expects of the result (NAME/want.bin); examples/reports.py then writes
the reports.
"""

import importlib.util
import json
import os
import pathlib
import sys

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
sys.dont_write_bytecode = True

here = pathlib.Path(__file__).resolve().parent


def load(name):
  """The module of an example."""
  spec = importlib.util.spec_from_file_location(name, here / name / "kernel.py")
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


def share(path):
  """Gives the input files of a variant the names that all variants have for them."""
  program = json.loads(path.read_text())
  for i, buffer in enumerate(program["buffers"]):
    for k, content in enumerate(buffer.get("shards", [buffer])):
      if "file" in content:
        name = f"in{i}.bin" if "shards" not in buffer else f"in{i}.{k}.bin"
        path.with_name(content["file"]).replace(path.with_name(name))
        content["file"] = name
  path.write_text(json.dumps(program) + "\n")


def main(names):
  import gpusim_jax  # and with it JAX, which is not needed to import this module
  import numpy as np

  for name in names:
    module = load(name)
    os.chdir(here / name)  # the programs name their source relative to this folder
    for old in [*pathlib.Path().glob("*.json"), *pathlib.Path().glob("*.bin")]:
      old.unlink()
    for variant in module.VARIANTS:
      for path in gpusim_jax.export(module.run, variant, path=f"{variant}.json"):
        share(path)
    dtype = np.dtype(json.loads(pathlib.Path("fixed.json").read_text())["buffers"][-1]["dtype"])
    pathlib.Path("want.bin").write_bytes(np.asarray(module.expected(), dtype).tobytes())


if __name__ == "__main__":
  main(sys.argv[1:] or sorted(p.parent.name for p in here.glob("*/kernel.py")))
