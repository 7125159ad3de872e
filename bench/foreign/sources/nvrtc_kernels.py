"""CUDA C++ written for this collection (cuda/*.cu), compiled by NVRTC with NVIDIA's own headers, for sm_70,
sm_80 and sm_90. A file may have a Python twin of the same name with `cases()`: arguments and what NumPy
computes."""

import ctypes
import glob
import importlib.util
import os
import re
import sys

import nvidia.cuda_nvrtc

import common

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cuda")
SITE = os.path.dirname(list(nvidia.cuda_nvrtc.__path__)[0])
INCLUDES = [os.path.join(SITE, p, "include") for p in ("cuda_runtime", "cuda_cccl", "cuda_nvcc")]
lib = ctypes.CDLL(glob.glob(os.path.join(SITE, "cuda_nvrtc", "lib", "libnvrtc.so.*"))[0])


def compile_text(text, name, arch, flags=()):
    """PTX, or a RuntimeError with the compiler's log."""
    program = ctypes.c_void_p()
    lib.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None)
    options = [f"--gpu-architecture=compute_{arch}", "-std=c++17", "-lineinfo", *flags, *("-I" + i for i in INCLUDES)]
    given = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
    code = lib.nvrtcCompileProgram(program, len(options), given)
    size = ctypes.c_size_t()
    if code != 0:
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetProgramLog(program, log)
        raise RuntimeError(" ".join(re.findall(r".*error.*", log.value.decode()))[:400])
    lib.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    lib.nvrtcGetPTX(program, ptx)
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx.value.decode()


def cases_of(file):
    twin = file[:-3] + ".py"
    if not os.path.exists(twin):
        return []
    spec = importlib.util.spec_from_file_location("twin", twin)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.cases()


def main():
    for file in sorted(glob.glob(os.path.join(HERE, "*.cu"))):
        name = os.path.basename(file)[:-3]
        with open(file) as f:
            text = f.read()
        first = text.split("\n", 1)[0]
        archs = [w for w in first.split() if w.isdigit()]
        for arch in archs:
            for label, flags in (("", ()), (".fast", ("--use_fast_math",))) if "fast-math" in first else (("", ()),):
                module = f"{name}.sm_{arch}{label}"
                try:
                    ptx = compile_text(text, file, arch, flags)
                except RuntimeError as e:
                    print("nvrtc:", module, e, file=sys.stderr)
                    continue
                path = common.save_ptx("nvrtc", module, ptx)
                for c in cases_of(file):
                    common.save_launch(path, **c)


if __name__ == "__main__":
    main()
