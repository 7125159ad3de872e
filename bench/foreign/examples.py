#!/usr/bin/env python3
"""Writes the PTX, the arrays and the launch files of examples/triton_*, from their kernel.py.

    python bench/foreign/examples.py        (in an environment with requirements.txt)
"""

import importlib.util
import os
import re
import struct

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples")
rng = np.random.default_rng(1)
TYPES = {"float32": "*fp32", "float16": "*fp16", "int32": "*i32"}


def compile_kernel(fn, args, constants, warps, stages):
    """The PTX for sm_80, its debug information cut and its source named relative to the example, and the bytes
    of shared memory."""
    names = fn.arg_names
    signature = {n: "constexpr" for n in constants}
    for n, a in zip(names, args):
        signature[n] = {"f32": "fp32"}.get(a[0], a[0]) if isinstance(a, tuple) else TYPES[str(a.dtype)]
    attrs = {(names.index(n),): [["tt.divisibility", 16]] for n, t in signature.items() if t.startswith("*")}
    src = ASTSource(fn=fn, signature={n: signature[n] for n in names},
                    constexprs={(names.index(n),): v for n, v in constants.items()}, attrs=attrs)
    k = triton.compile(src, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps, "num_stages": stages})
    ptx = k.asm["ptx"]
    ptx = ptx[:ptx.index("\t.section")] if "\t.section" in ptx else ptx
    ptx = re.sub(r'(\.file\s+\d+ )"[^"]*/([^/"]+)"', r'\1"\2"', ptx)
    return ptx.rstrip() + "\n", k.metadata.shared


def dtype(a):
    return {"float32": "f32", "float16": "f16", "int32": "i32"}[str(a.dtype)]


def launch_file(folder, file, program, kernel, names, args, grid, warps, shared, expect):
    lines = [f"program: {program}", "buffers:"]
    given = []
    for n, a in zip(names, args):
        if isinstance(a, tuple):
            value = np.float32(a[1]) if a[0] == "f32" else a[1]
            given.append(f"{{{a[0]}: {value}}}")
            continue
        given.append(n)
        init = "zeros"
        if a.any():
            np.save(os.path.join(folder, n + ".npy"), a)
            init = f"{{npy: {n}.npy}}"
        lines.append(f"  {n}: {{dtype: {dtype(a)}, shape: {list(a.shape)}, init: {init}}}")
    lines.append("  scratch: {dtype: u8, shape: [16]}   # Triton's last parameter: global scratch memory, unused here")
    given.append("scratch")
    lines += ["launches:", f"  - {{kernel: {kernel}, grid: {list(grid)}, block: [{32 * warps}], shared: {shared}, args: [{', '.join(given)}]}}"]
    if expect:
        lines.append("expect:")
        for n, (want, tolerance) in expect.items():
            np.save(os.path.join(folder, n + ".want.npy"), want)
            lines.append(f"  {n}: {{npy: {n}.want.npy{tolerance}}}")
    with open(os.path.join(folder, file), "w") as f:
        f.write("\n".join(lines) + "\n")


def without_barrier(ptx, index):
    """The PTX without its bar.sync number index, counted from 0."""
    places = [m.start() for m in re.finditer(r"\tbar\.sync", ptx)]
    start = places[index]
    return ptx[:start] + "\t// bar.sync removed\n" + ptx[ptx.index("\n", start) + 1:]


def example(name, args, constants, grid, expect, barrier=None, warps=4, stages=2, racy_grid=None):
    """The repaired program, and the one with a defect: a kernel of its own, or the PTX less a barrier."""
    folder = os.path.join(ROOT, "triton_" + name)
    spec = importlib.util.spec_from_file_location("kernel", os.path.join(folder, "kernel.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    fn = getattr(module, name)
    names = [n for n in fn.arg_names if n not in constants]
    ptx, shared = compile_kernel(fn, args, constants, warps, stages)
    with open(os.path.join(folder, "kernel.ptx"), "w") as f:
        f.write(ptx)
    launch_file(folder, "fixed.yaml", "kernel.ptx", name, names, args, grid, warps, shared, expect)
    racy = name
    if barrier is None:
        racy = name + "_racy"
        ptx, shared = compile_kernel(getattr(module, racy), args, constants, warps, stages)
    else:
        ptx = without_barrier(ptx, barrier)
    with open(os.path.join(folder, "racy.ptx"), "w") as f:
        f.write(ptx)
    launch_file(folder, "racy.yaml", "racy.ptx", racy, names, args, racy_grid or grid, warps, shared, {})


def f32(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def f16(*shape):
    return f32(*shape).astype(np.float16)


def main():
    n = 1000
    x, y = f32(n), f32(n)
    example("vector_add", [x, y, np.zeros(n, np.float32), ("i32", n)], {"BLOCK": 256}, (4,), {"out": (x + y, "")}, racy_grid=(8,))

    x = f32(8, 200)
    e = np.exp(x - x.max(1, keepdims=True))
    example("softmax", [x, np.zeros_like(x), ("i32", 200)], {"BLOCK": 256}, (8,),
            {"out": (e / e.sum(1, keepdims=True), ", rtol: 1e-5")})

    w, b = f32(200), f32(200)
    mean = x.mean(1, keepdims=True)
    want = (x - mean) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + b
    example("layer_norm", [x, w, b, np.zeros_like(x), np.zeros(8, np.float32), ("i32", 200), ("f32", 1e-5)], {"BLOCK": 256}, (8,),
            {"out": (want.astype(np.float32), ", atol: 1e-5, rtol: 1e-5"), "mean": (mean[:, 0], ", atol: 1e-6")})

    A, B = f16(64, 128), f16(128, 64)
    example("matmul", [A, B, np.zeros((64, 64), np.float32), ("i32", 64), ("i32", 128)], {"BM": 32, "BN": 32, "BK": 32}, (4,),
            {"c": (A.astype(np.float32) @ B.astype(np.float32), ", atol: 1e-3, rtol: 1e-4")}, barrier=0)

    q, k, v = f16(128, 32), f16(128, 32), f16(128, 32)
    s = q.astype(np.float32) @ k.astype(np.float32).T * np.float32(0.125)
    p = np.exp(s - s.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    example("attention", [q, k, v, np.zeros((128, 32), np.float16), ("f32", 0.125), ("i32", 128)], {"BM": 64, "BN": 32, "D": 32}, (2,),
            {"out": ((p @ v.astype(np.float32)).astype(np.float16), ", atol: 2e-3, rtol: 2e-3")}, barrier=1)


main()
