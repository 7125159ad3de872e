"""Kernels of warp-lang: modules of its own tests, examples and libraries, compiled to PTX by the NVRTC inside
the package. Most functions have a forward and a backward kernel."""

import glob
import importlib
import io
import contextlib
import os
import sys

import common

import warp as wp

MODULES = """
warp.optim.linear warp._src.sparse warp._src.utils
warp.tests.test_atomic warp.tests.test_bool warp.tests.test_conditional warp.tests.test_copy warp.tests.test_dense
warp.tests.test_fast_math warp.tests.test_fp16 warp.tests.test_func warp.tests.test_grad warp.tests.test_lerp
warp.tests.test_lvalue warp.tests.test_operators warp.tests.test_rand warp.tests.test_struct warp.tests.test_vec_lite
warp.tests.geometry.test_bvh warp.tests.geometry.test_hash_grid
warp.tests.tile.test_tile_load warp.tests.tile.test_tile_shared_memory
""".split()


def main():
    wp.config.quiet = True
    wp.config.verify_fp = False
    wp.init()
    for name in MODULES:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                importlib.import_module(name)
        except Exception as e:
            print("warp: no module", name, type(e).__name__, e, file=sys.stderr)
            continue
        try:
            module = wp.get_module(name)
            if not module.kernels:
                print("warp: no kernels in", name, file=sys.stderr)
                continue
            out = common.folder("warp", name)
            with contextlib.redirect_stdout(io.StringIO()):
                wp.compile_aot_module(module, arch=80, module_dir=out, use_ptx=True)
            made = glob.glob(os.path.join(out, "*.ptx"))
            if made:
                with open(made[0]) as f:
                    common.save_ptx("warp", name, f.read())
            for file in os.listdir(out):
                if file != "kernel.ptx":
                    os.remove(os.path.join(out, file))
        except Exception as e:
            print("warp:", name, type(e).__name__, str(e)[:200], file=sys.stderr)


main()
