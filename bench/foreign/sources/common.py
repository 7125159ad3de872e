"""What every source of kernels does with a kernel: one folder for each module, with the PTX and, where the
result is known, launch files and arrays."""

import os
import re

import numpy as np
import yaml

ROOT = os.environ["FOREIGN_KERNELS"]

# dtype names of launch files
DTYPES = {
    "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
    "int64": "i64", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64", "bool": "u8",
}


class Struct:
    """A struct passed by value: the address of an array, then 64-bit numbers."""

    def __init__(self, array, *numbers):
        self.array, self.numbers = array, numbers


class BFloat16:
    """An array of bfloat16, which NumPy lacks: values as float32, rounded to nearest even."""

    def __init__(self, values):
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
        self.bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        self.shape = self.bits.shape

    def values(self):
        return (self.bits.astype(np.uint32) << 16).view(np.float32)


def arg_is_complex(arg):
    return not isinstance(arg, BFloat16) and np.iscomplexobj(arg)


def folder(source, module):
    path = os.path.join(ROOT, source, re.sub(r"[^A-Za-z0-9_.-]", "_", module))
    os.makedirs(path, exist_ok=True)
    return path


def save_ptx(source, module, ptx):
    """Writes a module's PTX. Kernels without a launch file are run with the one `gpusim init` writes."""
    if isinstance(ptx, bytes):
        ptx = ptx.decode()
    path = folder(source, module)
    with open(os.path.join(path, "kernel.ptx"), "w") as f:
        f.write(ptx.rstrip("\0"))
    return path


def entries(ptx):
    return re.findall(r"\.entry\s+([\w$]+)", ptx)


def save_launch(path, kernel, grid, block, args, expect, shared=0, atol=0.0, rtol=0.0):
    """Writes KERNEL.yaml: args are arrays (buffers), ("i32", 5) scalars; expect maps the place of an
    argument to the array that has to come out."""
    buffers, given, wanted = {}, [], {}
    for i, arg in enumerate(args):
        if isinstance(arg, tuple):
            given.append({arg[0]: arg[1]})
            continue
        numbers = None
        if isinstance(arg, Struct):
            numbers, arg = [{"i64": n} for n in arg.numbers], arg.array
            if arg is None:
                given.append({"struct": numbers})
                continue
        name = f"arg{i}"
        file = f"{kernel}.{name}.npy" if len(kernel) < 80 else f"{name}.npy"
        if arg_is_complex(arg):
            arg = arg.view(arg.real.dtype)
        dtype = "bf16" if isinstance(arg, BFloat16) else DTYPES[str(arg.dtype)]
        array = arg.bits if isinstance(arg, BFloat16) else np.ascontiguousarray(arg)
        if dtype == "bf16" or array.dtype == bool:
            file = file.replace(".npy", ".bin")
            array.tofile(os.path.join(path, file))
            init = {"raw": file}
        else:
            np.save(os.path.join(path, file), array)
            init = {"npy": file}
        buffers[name] = {"dtype": dtype, "shape": list(array.shape) or [1], "init": init}
        given.append(name if numbers is None else {"struct": [{"buffer": name}] + numbers})
        if i in expect:
            want = expect[i]
            if arg_is_complex(want):
                want = np.ascontiguousarray(want, np.complex64 if dtype == "f32" else np.complex128)
                want = want.view(want.real.dtype)
            if isinstance(want, BFloat16) or dtype == "bf16":
                flat = want.values() if isinstance(want, BFloat16) else np.asarray(want, np.float32)
                wanted[name] = {"values": [float(v) for v in flat.reshape(-1)]}
            else:
                file = file.replace(".npy", ".want.npy").replace(".bin", ".want.npy")
                np.save(os.path.join(path, file), np.ascontiguousarray(want, array.dtype if array.dtype != bool else np.uint8))
                wanted[name] = {"npy": file}
            if atol:
                wanted[name]["atol"] = atol
            if rtol:
                wanted[name]["rtol"] = rtol
    launch = {"kernel": kernel, "grid": list(grid), "block": list(block), "args": given}
    if shared:
        launch["shared"] = shared
    with open(os.path.join(path, (kernel if len(kernel) < 80 else "kernel") + ".yaml"), "w") as f:
        yaml.safe_dump({"program": "kernel.ptx", "buffers": buffers, "launches": [launch], "expect": wanted}, f,
                       sort_keys=False, default_flow_style=None)
