"""State spaces, addressing, vectors, strong accesses, module variables, asynchronous copies."""

from kit import Case, Random


def ints(count, seed, low=0, high=100):
    rng = Random(seed)
    return [low + rng.below(high - low) for _ in range(count)]


def shared_static():
    ins = ints(128, 401, -50, 50)
    out, values = [], []
    for b in range(2):
        row = ins[64 * b:64 * b + 64]
        total = sum(row) * 0.5
        for t in range(64):
            out.append(row[63 - t] * 2 + (row[63 - t] & 1))
            values.append(total + row[63 - t] * 0.5)
    c = Case("shared_static")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", out), c.output("values", "f32", values)], grid=2, block=64)
    c.write()


def shared_dynamic():
    n = 32
    ins = ints(2 * n, 402, 0, 40)
    out = []
    for b in range(2):
        out += [v * 3 // 2 for v in sorted(ins[n * b:n * b + n])]
    c = Case("shared_dynamic")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", out), "{i32: 32}"], grid=2, block=n, shared=14 * n)
    c.write()


def shared_addr32():
    ins = ints(128, 403)
    out = []
    for t in range(128):
        a, b, x, d = ins[4 * (t % 32):4 * (t % 32) + 4]
        out.append(a + 2 * b + 3 * x + 4 * d + 1000 * ins[(t | 1) - 1])
    c = Case("shared_addr32")
    c.launch([c.input("in", "u32", ins), c.output("out", "u32", out)], block=128)
    c.write()


def local_array():
    n = 32
    ins = ints(n, 404)
    walk, hist = [], []
    for i in range(n):
        nodes = [(ins[(i + k) % n], (k * 7 + 3) % 10 if k < 9 else -1, k & 1) for k in range(10)]
        total, k, steps = 0, i % 10, 0
        while k >= 0 and steps < 20:
            total += nodes[k][0] * (3 if nodes[k][2] else 1)
            k, steps = nodes[k][1], steps + 1
        walk.append(total)
        bins = [0] * 8
        for v in ins:
            bins[(v + i) & 7] += 1
        hist.append(bins[i & 7] * 100 + bins[(i + 3) & 7])
    c = Case("local_array")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", walk + hist), "{i32: 32}"])
    c.write()


def const_memory():
    n = 32
    ins = [float(v) for v in ints(n, 405)]
    taps, coef = [0.0625, 0.25, 0.375, 0.25, 0.0625], [1.0, -2.0, 0.5, 4.0]
    conv = [16 * sum(taps[k] * ins[i + k - 2] for k in range(5) if 0 <= i + k - 2 < n) for i in range(n)]
    primes = [2, 3, 5, 7, 11, 13, 17, 19]
    c = Case("const_memory")
    c.buffer("coef", "f32", 4, "{values: [1, -2, 0.5, 4]}", symbol="coefficients")
    c.launch([c.input("in", "f32", ins), c.output("out", "f32", conv + [coef[i & 3] * v for i, v in enumerate(ins)]),
              c.output("ints", "i32", [primes[i & 7] * 1000 + ord("gau"[i % 3]) for i in range(n)]), "{i32: 32}"])
    c.write()


def struct_param():
    n = 30
    data = ints(32, 406)
    c = Case("struct_param")
    c.input("data", "i32", data)
    params = ("{struct: [{buffer: data}, {i32: 30}, {i8: 5}, {pad: 3}, {f64: 2.5}, {i8: 3}, {pad: 1}, {i16: -7}, "
              "{i8: -4}, {pad: 1}, {i16: 9}, {f32: 1}, {f32: 2}, {f32: 3}, {pad: 4}]}")
    out = [data[i] + 5 + (3, -4)[i & 1] * 10 + 9 + 11 for i in range(n)] + [-1, -1]
    scaled = [2.5 * (1, 2, 3)[i % 3] for i in range(n)] + [-1.0, -1.0]
    c.output("out", "i32", out, init="{fill: -1}")
    c.output("scaled", "f64", scaled, init="{fill: -1}")
    c.buffer("copy", "u8", 48, "none")
    c.launch([params, "{i8: 11}", "out", "scaled", "copy"])
    c.write()


def generic_pointers():
    n = 32
    ins = ints(n, 407)
    sum4 = lambda v: v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3]
    rows = [[], [], []]
    for i in range(n):
        data, space = [(ins[i & ~3:], 2), ([100, 101, 102, 103], 1), ([i, i + 1, i + 2, i + 3], 4),
                       ([40, 41, 42, 43], 8), ([70, 71, 72, 73], 2)][i % 5]
        rows[0].append(sum4(data))
        rows[1].append(space)
        rows[2].append(102)
    c = Case("generic_pointers")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", sum(rows, [])), "{i32: 32}"])
    c.write()


def flat(rows):
    return [v for row in rows for v in row]


def vectors():
    n = 32
    rng = Random(408)
    grid = lambda width, high: [[rng.below(high) for _ in range(width)] for _ in range(n)]
    a, b, u8, d, e, f = grid(4, 100), grid(2, 1000), grid(4, 256), grid(2, 100), grid(4, 1000), grid(3, 100)
    floats = lambda rows: [[float(v) for v in row] for row in rows]
    c = Case("vectors")
    c.launch([
        c.input("a", "f32", flat(floats(a))), c.input("b", "i32", flat(b)), c.input("c", "u8", flat(u8)),
        c.input("d", "f64", flat(floats(d))), c.input("e", "i16", flat(e)), c.input("f", "f32", flat(floats(f))),
        c.output("fa", "f32", flat(floats([[w, z, y, x + 1] for x, y, z, w in a]))),
        c.output("fb", "i32", flat([[y, x - y] for x, y in b])),
        c.output("fc", "u8", flat([[z, x, w + y, 7] for x, y, z, w in u8])),
        c.output("fd", "f64", flat(floats([[y * 2, x] for x, y in d]))),
        c.output("fe", "i16", flat([row[::-1] for row in e])),
        c.output("ff", "f32", flat(floats([[z, x, y] for x, y, z in f])))])
    words = [[rng.bits(32) for _ in range(4)] for _ in range(n)]
    out = []
    for w in words:
        p, q, r, s = [w[0] >> (8 * k) & 255 for k in range(4)]
        out += w[::-1] + [s | r << 16, q | p << 16, w[0] ^ w[2], w[1] ^ w[3]]
    c.launch([c.input("words", "u32", flat(words)), c.output("moved", "u32", out)], kernel="vector_ptx")
    c.write()


def cache_ops():
    n = 32
    ins = ints(n, 409)
    sums = []
    for v in ins:
        total = 1
        for _ in range(10):
            total = total * 3 + v
        sums.append(total)
    out = [s + k for k in range(5) for s in sums] + ins
    c = Case("cache_ops")
    c.launch([c.input("in", "u32", ins), c.output("out", "u32", out), "{i32: 32}"])
    c.write()


def volatile_access():
    c = Case("volatile_access")
    c.launch([c.output("counter", "i32", [1060], init="{values: [1000]}"), c.output("out", "i32", [6 * (63 - t) for t in range(64)])],
             block=64)
    c.write()


def strong_access():
    c = Case("strong_access")
    c.buffer("flags", "u32", 3, "zeros")
    c.buffer("data", "u32", 3, "none")
    c.launch(["flags", "data", c.output("out", "u32", [123, 456, 789])], grid=2, block=32)
    c.launch([c.output("local", "u32", [77])], kernel="strong_block", block=64)
    c.write()


def ldg():
    n = 100
    ins = [float(v) for v in ints(n, 410)]
    index = [(i * 37 + 11) % n for i in range(n)]
    c = Case("ldg")
    c.launch([c.input("in", "f32", ins), c.input("index", "i32", index),
              c.output("out", "f32", [ins[index[i]] + ins[i] + index[n - 1 - i] for i in range(n)]), "{i32: 100}"],
             grid=2, block=64)
    c.write()


def module_vars():
    n = 24
    table, shorts, data = [10, -20, 30, -40, 50, -60], [-1, 2, -3], [1, 2, 253, 254, 255]

    def state(inside, zeroed):
        rows = [[] for _ in range(7)]
        for i in range(n):
            rows[0].append(table[i % 6])
            rows[1].append(shorts[i % 3] * 1000 + data[i % 5])
            rows[2].append(table[inside + i % 3])
            rows[3].append((77, 38)[i & 1])
            rows[4].append(b"hello\0"[i % 6])
            rows[5].append(zeroed[i & 3])
            rows[6].append(table[inside] + (-1234567890123 >> 32))
        return sum(rows, [])

    fp = [(2e100, -7.75)[i & 1] for i in range(n)]
    c = Case("module_vars")
    c.launch([c.output("before", "i32", state(2, [0] * 4)), c.output("fp", "f64", fp), "{i32: 24}"])
    c.launch([], kernel="module_step", block=4)
    c.launch([c.output("after", "i32", state(3, [1, 2, 3, 4])), "fp", "{i32: 24}"])
    c.buffer("state", "i32", 4, "{values: [0, 0, 0, 0]}", symbol="zeroed")
    c.want("state", [1, 2, 3, 4])
    c.write()


def linked_main():
    lib = [1000, 2000, 3000, 4000]
    c = Case("linked_main", ["linked_main", "linked_lib", "linked_common.ptx"])
    c.launch([c.output("out", "i32", [(2 * i + 1 + lib[i & 3] + 500) * 3 + 9 for i in range(32)])])
    c.write()


def cp_async():
    ins = ints(384, 411)
    a, b = ins[:256], ins[256:]
    out = [a[255 - t] + a[(t + 64) % 256] * 2 + a[t + 128] * 3 + b[127 - t] for t in range(128)] + ins[:128]
    c = Case("cp_async")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", out), "{i32: 128}"], block=128)
    c.write()


def cp_async_zfill():
    ins = ints(102, 412, 1, 100)
    c = Case("cp_async_zfill")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", ins + [0] * 26), "{i32: 102}"])
    c.write()


def product(a, b, m, n, k):
    return [sum(a[r * k + j] * b[j * n + col] for j in range(k)) for r in range(m) for col in range(n)]


def cp_async_matmul():
    n = 32
    a, b = ints(n * n, 413, -8, 8), ints(n * n, 414, -8, 8)
    c = Case("cp_async_matmul")
    as_floats = lambda v: [float(x) for x in v]
    c.launch([c.input("a", "f32", as_floats(a)), c.input("b", "f32", as_floats(b)),
              c.output("c", "f32", as_floats(product(a, b, n, n, n))), "{i32: 32}"], grid=(2, 2), block=(16, 16))
    c.write()


def cases():
    for run in (shared_static, shared_dynamic, shared_addr32, local_array, const_memory, struct_param, generic_pointers,
                vectors, cache_ops, volatile_access, strong_access, ldg, module_vars, linked_main, cp_async,
                cp_async_zfill, cp_async_matmul):
        run()
