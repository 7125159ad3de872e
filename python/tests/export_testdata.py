"""Writes the kernels of the tests as programs for the Go tests: python export_testdata.py, in this directory.

Kernels of wide.py come with the values that their results have.
"""

import base64
import json
import os
import pathlib

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import gpusim_jax
import kernels
import numpy as np
import wide

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "pallas" / "testdata"


def export(fn, path: pathlib.Path) -> bool:
  path.parent.mkdir(exist_ok=True)
  try:
    gpusim_jax.export(fn, path=path)
  except (ValueError, NotImplementedError):
    return False  # it is refused when it is traced
  return True


def want(case, program) -> list[list[str]]:
  """The contents of the results on each device."""
  values = case.want()
  values = values if isinstance(values, tuple) else (values,)
  out: list[list[str]] = [[] for _ in range(program["devices"])]
  for i, v in zip(program["results"], values):
    buffer = program["buffers"][i]
    dtype = np.dtype(buffer["dtype"])
    for d, part in enumerate(np.split(np.asarray(v).astype(dtype), program["devices"])):
      out[d].append(base64.b64encode(np.ascontiguousarray(part).tobytes()).decode())
  return out


def main() -> None:
  for case in kernels.CASES:
    export(case.run, TESTDATA / f"{case.name}.json")
  for name, case in wide.CASES.items():
    path = TESTDATA / "wide" / f"{name}.json"
    if not export(case.run, path):
      raise SystemExit(f"{name} was not exported")
    program = json.loads(path.read_text())
    if not case.error:
      program["want"] = want(case, program)
    path.write_text(json.dumps(program, separators=(",", ":")) + "\n")


if __name__ == "__main__":
  main()
