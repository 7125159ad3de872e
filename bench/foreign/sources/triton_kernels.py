"""Kernels written in Triton in the manner of its tutorials, compiled for sm_80 and sm_90 without a GPU.
NumPy computes what has to come out."""

import sys

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import common
from triton_source import *  # noqa: F401,F403  the kernels

rng = np.random.default_rng(1)


def f32(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def f16(*shape):
    return rng.standard_normal(shape, dtype=np.float32).astype(np.float16)


def i32(*shape, low=-100, high=100):
    return rng.integers(low, high, shape, dtype=np.int32)


TYPES = {"float32": "*fp32", "float16": "*fp16", "int32": "*i32", "int64": "*i64", "uint32": "*u32", "uint8": "*u8",
         "int8": "*i8", "bool": "*i1", "float64": "*fp64", "int16": "*i16"}


def compile_for(fn, signature, constants, arch, warps, stages):
    names = fn.arg_names
    sig = {n: signature.get(n, "constexpr") for n in names}
    # What the JIT knows of arguments: pointers are aligned to 16 bytes.
    attrs = {(names.index(n),): [["tt.divisibility", 16]] for n, t in sig.items() if t.startswith("*")}
    src = ASTSource(fn=fn, signature=sig, constexprs={(names.index(n),): v for n, v in constants.items()}, attrs=attrs)
    return triton.compile(src, target=GPUTarget("cuda", arch, 32), options={"num_warps": warps, "num_stages": stages})


def case(name, fn, args, constants, grid, expect, warps=4, stages=3, atol=0.0, rtol=0.0, archs=(80, 90)):
    """Compiles fn for each architecture, with args in order of its parameters and the rest constants."""
    names = [n for n in fn.arg_names if n not in constants]
    signature = {}
    for n, a in zip(names, args):
        if isinstance(a, tuple):
            signature[n] = {"f32": "fp32"}.get(a[0], a[0])
        else:
            signature[n] = "*bf16" if isinstance(a, common.BFloat16) else TYPES[str(a.dtype)]
    for arch in archs:
        try:
            k = compile_for(fn, signature, constants, arch, warps, stages)
        except Exception as e:
            print(f"triton: {name} sm_{arch}: {type(e).__name__} {str(e)[:300]}", file=sys.stderr)
            continue
        path = common.save_ptx("triton", f"{name}.sm_{arch}", k.asm["ptx"])
        entry = common.entries(k.asm["ptx"])[0]
        given = list(args)
        # A global scratch buffer is the last parameter since Triton 3.3.
        if k.asm["ptx"].count(".param .u64") + k.asm["ptx"].count(".param .u32") + k.asm["ptx"].count(".param .f32") > len(args):
            given.append(np.zeros(128, np.uint8))
        common.save_launch(path, entry, grid, (32 * warps,), given, expect, k.metadata.shared, atol, rtol)


def main():
    n = 1000
    x, y = f32(n), f32(n)
    out = np.zeros(n, np.float32)
    case("add", add, [x, y, out, ("i32", n)], {"BLOCK": 256}, (4,), {2: x + y})
    case("axpy", axpy, [x, out, ("f32", 2.5), ("i32", n)], {"BLOCK": 256}, (4,), {1: np.float32(2.5) * x}, rtol=1e-6)
    for name, want in {
        "exp": np.exp(x), "log": np.log(np.abs(x) + 1), "sqrt": np.sqrt(np.abs(x)), "sin": np.sin(x), "cos": np.cos(x),
        "sigmoid": 1 / (1 + np.exp(-x)), "relu": np.maximum(x, 0), "abs": np.abs(x), "rsqrt": 1 / np.sqrt(np.abs(x) + 1),
        "floor": np.floor(x), "ceil": np.ceil(x), "silu": x / (1 + np.exp(-x)), "tanh": np.tanh(x), "exp2": np.exp2(x),
        "gelu": 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x ** 3))), "clamp": np.clip(x, -0.5, 0.5),
        "log2": np.log2(np.abs(x) + 1),
    }.items():
        case("unary_" + name, globals()["k_" + name], [x, out, ("i32", n)], {"BLOCK": 256}, (4,), {1: want}, atol=2e-5, rtol=2e-5, archs=(80,))
    a, b = i32(n), i32(n, low=1)
    io = np.zeros(n, np.int32)
    case("int_ops", int_ops, [a, b, io, ("i32", n)], {"BLOCK": 256}, (4,),
         {2: (np.trunc(a / b).astype(np.int32) + np.fmod(a, b)) ^ (a << 3) ^ (b >> 1)}, archs=(80,))
    case("umulhi", umulhi, [a.view(np.uint32), b.view(np.uint32), io.view(np.uint32), ("i32", n)], {"BLOCK": 256}, (4,),
         {2: ((a.view(np.uint32).astype(np.uint64) * b.view(np.uint32)) >> 32).astype(np.uint32)}, archs=(80,))
    h = f16(n)
    case("cast_f16", cast, [h, out, ("i32", n)], {"BLOCK": 256}, (4,), {1: h.astype(np.float32)}, archs=(80,))
    case("cast_to_f16", cast, [x, np.zeros(n, np.float16), ("i32", n)], {"BLOCK": 256}, (4,), {1: x.astype(np.float16)}, archs=(80,))
    case("cast_to_bf16", cast, [x, common.BFloat16(out), ("i32", n)], {"BLOCK": 256}, (4,), {1: common.BFloat16(x)})
    bf = common.BFloat16(x)
    case("cast_bf16", cast, [bf, out, ("i32", n)], {"BLOCK": 256}, (4,), {1: bf.values()})
    case("cast_i8", cast, [np.arange(-100, 100, dtype=np.int8), np.zeros(200, np.float32), ("i32", 200)], {"BLOCK": 256}, (1,), {1: np.arange(-100, 100)}, archs=(80,))
    case("half_add", add, [h, h, np.zeros(n, np.float16), ("i32", n)], {"BLOCK": 256}, (4,), {2: h + h}, archs=(80,))
    case("bf16_add", add, [bf, bf, common.BFloat16(out), ("i32", n)], {"BLOCK": 256}, (4,), {2: common.BFloat16(bf.values() * 2)})
    d = rng.standard_normal(n)
    case("double_add", add, [d, d, np.zeros(n), ("i32", n)], {"BLOCK": 256}, (4,), {2: d + d}, archs=(80,))

    m = f32(16, 200)
    e = np.exp(m - m.max(1, keepdims=True))
    case("softmax", softmax, [m, np.zeros_like(m), ("i32", 200)], {"BLOCK": 256}, (16,), {1: e / e.sum(1, keepdims=True)}, rtol=1e-5, atol=1e-6)
    case("row_sum", row_sum, [m, np.zeros(16, np.float32), ("i32", 200)], {"BLOCK": 256}, (16,), {1: m.sum(1)}, atol=1e-4)
    case("row_max", row_max, [m, np.zeros(16, np.float32), ("i32", 200)], {"BLOCK": 256}, (16,), {1: m.max(1)})
    case("row_argmax", row_argmax, [m, np.zeros(16, np.int32), ("i32", 200)], {"BLOCK": 256}, (16,), {1: m.argmax(1)})
    mi = i32(16, 200)
    case("row_xor", row_xor, [mi, np.zeros(16, np.int32), ("i32", 200)], {"BLOCK": 256}, (16,), {1: np.bitwise_xor.reduce(mi, 1)})
    case("cumsum", cumsum, [mi, np.zeros_like(mi), ("i32", 200)], {"BLOCK": 256}, (16,), {1: mi.cumsum(1)})
    mm = 1 + f32(16, 200) * 0.01
    case("cumprod", cumprod, [mm, np.zeros_like(mm), ("i32", 200)], {"BLOCK": 256}, (16,), {1: mm.cumprod(1)}, rtol=1e-4)
    case("sort", sort, [mi[:, :128].copy(), np.zeros((16, 128), np.int32)], {"BLOCK": 128}, (16,), {1: np.sort(mi[:, :128], 1)}, archs=(80,))
    case("transpose", transpose, [f := f32(64, 64), np.zeros((64, 64), np.float32)], {"N": 64, "BLOCK": 32}, (2, 2), {1: f.T})
    case("gather", gather, [x, idx := i32(n, low=0, high=n), out, ("i32", n)], {"BLOCK": 256}, (4,), {2: x[idx]}, archs=(80,))
    hist = i32(n, low=0, high=64)
    case("histogram", histogram, [hist, np.zeros(64, np.int32), ("i32", n)], {"BLOCK": 256}, (4,), {1: np.bincount(hist, minlength=64)}, archs=(80,))
    case("tl_histogram", tl_histogram, [hist[:512].copy(), np.zeros(64, np.int32)], {"BLOCK": 512, "BINS": 64}, (1,), {1: np.bincount(hist[:512], minlength=64)})
    case("atomic_max", atomic_max, [a, np.full(1, -1000, np.int32), ("i32", n)], {"BLOCK": 256}, (4,), {1: a.max(keepdims=True)}, archs=(80,))
    case("atomic_add_f16", atomic_add_f16, [np.zeros(64, np.float16)], {"BLOCK": 64}, (8,), {0: np.full(64, 8)})
    case("atomic_cas_lock", cas_lock, [np.zeros(1, np.int32), np.zeros(64, np.float32)], {"BLOCK": 64}, (8,), {1: np.full(64, 8)})
    w, bias = f32(200), f32(200)
    mean, var = m.mean(1, keepdims=True), m.var(1, keepdims=True)
    ln = (m - mean) / np.sqrt(var + 1e-5) * w + bias
    case("layer_norm", layer_norm, [m, w, bias, np.zeros_like(m), ("i32", 200), ("f32", 1e-5)], {"BLOCK": 256}, (16,), {3: ln}, atol=1e-4, rtol=1e-4)
    rms = m / np.sqrt((m ** 2).mean(1, keepdims=True) + 1e-5) * w
    case("rms_norm", rms_norm, [m, w, np.zeros_like(m), ("i32", 200), ("f32", 1e-5)], {"BLOCK": 256}, (16,), {2: rms}, atol=1e-4, rtol=1e-4, archs=(80,))
    seed = np.zeros(1024, np.float32)
    case("rand", rand, [seed, ("i32", 42)], {"BLOCK": 256}, (4,), {}, archs=(80,))
    keep = f32(n)
    case("dropout", dropout, [keep, out, ("i32", n), ("f32", 0.5), ("i32", 7)], {"BLOCK": 256}, (4,), {}, archs=(80,))
    labels = i32(16, low=0, high=200)
    lse = np.log(np.exp(m - m.max(1, keepdims=True)).sum(1)) + m.max(1)
    case("cross_entropy", cross_entropy, [m, labels, np.zeros(16, np.float32), ("i32", 200)], {"BLOCK": 256}, (16,), {2: lse - m[np.arange(16), labels]}, atol=1e-5, rtol=1e-5)

    for dtype, warps, stages in [("f16", 4, 3), ("f16", 2, 1), ("f32", 4, 2), ("bf16", 4, 3), ("i8", 4, 2)]:
        A, B = f32(64, 96) * 0.5, f32(96, 64) * 0.5
        tol = 1e-3
        cc = np.zeros((64, 64), np.float32)
        if dtype == "f16":
            A, B = A.astype(np.float16), B.astype(np.float16)
            want = A.astype(np.float32) @ B.astype(np.float32)
        elif dtype == "bf16":
            A, B = common.BFloat16(A), common.BFloat16(B)
            want = A.values() @ B.values()
        elif dtype == "i8":
            A, B = rng.integers(-9, 9, (64, 96), np.int8), rng.integers(-9, 9, (96, 64), np.int8)
            want, cc = A.astype(np.int32) @ B.astype(np.int32), np.zeros((64, 64), np.int32)
        else:
            want, tol = A @ B, 2e-2  # tf32
        case(f"matmul_{dtype}_w{warps}_s{stages}", matmul, [A, B, cc, ("i32", 64), ("i32", 64), ("i32", 96)],
             {"BM": 32, "BN": 32, "BK": 32, "ACC": tl.int32 if dtype == "i8" else tl.float32}, (4,), {2: want}, warps, stages, tol, tol)
    q, k, v = (f16(128, 64) for _ in range(3))
    s = q.astype(np.float32) @ k.astype(np.float32).T / 8
    p = np.exp(s - s.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    case("attention", attention, [q, k, v, np.zeros((128, 64), np.float16), ("f32", 0.125), ("i32", 128)], {"BM": 64, "BN": 32, "D": 64}, (2,),
         {3: (p @ v.astype(np.float32)).astype(np.float16)}, atol=4e-3, rtol=4e-3)
    img, ker = f32(34, 34), f32(3, 3)
    conv = sum(img[i:i + 32, j:j + 32] * ker[i, j] for i in range(3) for j in range(3))
    case("conv3x3", conv3x3, [img, ker, np.zeros((32, 32), np.float32)], {"W": 34, "BLOCK": 32}, (1,), {2: conv}, atol=1e-5, rtol=1e-5)
    case("batched_sum", batched_sum, [f32(8, 64, 32), np.zeros((8, 32), np.float32)], {"R": 64, "C": 32}, (8,), {}, archs=(80,))
    case("welford", welford, [m, np.zeros(16, np.float32), np.zeros(16, np.float32), ("i32", 200)], {"BLOCK": 256}, (16,), {1: m.mean(1), 2: m.var(1)}, atol=1e-4)
    case("swizzle2d", swizzle, [np.zeros(64, np.int32)], {"M": 8, "N": 8, "G": 3}, (64,), {}, archs=(80,))
    fp8 = rng.integers(0, 112, 1024, np.uint8)
    case("fp8_cast", fp8_cast, [fp8, np.zeros(1024, np.float16)], {"BLOCK": 256}, (4,), {})
    case("linear_scan", linear_scan, [m, np.zeros_like(m), ("i32", 200)], {"BLOCK": 256}, (16,), {})
    case("join_split", join_split, [x[:512].copy(), np.zeros(256, np.float32)], {"BLOCK": 256}, (1,), {1: x[:512:2] + x[1:512:2]}, archs=(80,))
    case("device_print", device_assert, [x, ("i32", n)], {"BLOCK": 256}, (4,), {}, archs=(80,))
    case("adamw", adamw, [x.copy(), y, out.copy(), out.copy(), ("f32", 1e-3), ("i32", n)], {"BLOCK": 256}, (4,), {}, archs=(80,))
    case("rope", rope, [f32(8, 64), f32(8, 32), f32(8, 32), np.zeros((8, 64), np.float32)], {"H": 32}, (8,), {}, archs=(80,))
    case("embedding", embedding, [i32(16, low=0, high=16), m, np.zeros((16, 200), np.float32), ("i32", 200)], {"BLOCK": 256}, (16,), {}, archs=(80,))


main()
