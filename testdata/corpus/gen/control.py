"""Control flow: the kernels' algorithms written again in Python."""

from kit import Case, Random, signed

N = 32


def i32(v):
    return signed(v, 32)


def switch_case():
    rng = Random(301)
    length = 24
    programs = []
    for p in range(4):
        code, depth = [], 0
        while len(code) < length:
            op = (0, 1, 2, 3, 4, 5, 6, 7, 200, 99)[rng.below(10)]
            if op in (2, 3) and depth == 0 or op in (0, 1, 7) and depth == 6:
                continue
            if code and code[-1] == 6 and op in (0, 1, 2, 3, 7):
                continue  # a skipped instruction must not change the depth
            depth += {0: 1, 1: 1, 7: 1, 2: -1, 3: -1}.get(op, 0)
            code.append(op)
        programs.append(code)
    ins = [rng.below(2000) - 1000 for _ in range(N)]
    out = []
    for i, x in enumerate(ins):
        stack, code, k = [x], programs[i % 4], 0
        while k < length:
            op = code[k]
            if op == 0:
                stack.append(x)
            elif op == 1:
                stack.append(k)
            elif op == 2:
                b = stack.pop()
                stack[-1] = i32(stack[-1] + b)
            elif op == 3:
                b = stack.pop()
                stack[-1] = i32(stack[-1] * b)
            elif op in (4, 5):
                stack[-1] = i32((-stack[-1] if op == 4 else stack[-1]) ^ 0x55)
            elif op == 6:
                k += stack[-1] & 1
            elif op == 7:
                stack.append(stack[-1])
            elif op == 200:
                stack[-1] >>= 3
            else:
                stack[-1] = i32(stack[-1] - 1000)
            k += 1
        total = 0
        for v in stack:
            total = i32(total * 31 + v)
        out.append(total)
    c = Case("switch_case")
    c.launch([c.input("code", "u8", sum(programs, [])), "{i32: %d}" % length, c.input("in", "i32", ins),
              c.output("out", "i32", out)])
    c.write()


def brx():
    ins = [Random(302 + i).bits(32) for i in range(N)]
    out = []
    for x in ins:
        for _ in range(3):
            x = [lambda v: v + 101, lambda v: v * 3, lambda v: v >> 1, lambda v: v ^ 255][x & 3](x) & 0xFFFFFFFF
        out.append(x)
    c = Case("brx")
    c.launch([c.input("in", "u32", ins), c.output("out", "u32", out)])
    c.write()


def functions():
    ins = [5 * i - 40 for i in range(N)]
    out = [[], [], [], [], []]
    weights, sums = [], []
    for x in ins:
        weights.append(x * 0.5 * 3 + (x & 7) + (x + 1))
        out[0].append(x)      # rotate twice: (x + 2, x, x + 1), then the first two swapped
        out[1].append(x + 2)
        out[2].append(x + 1)
        out[3].append(signed(x * 7, 8))
        out[4].append(1 if x > 0 else 2)
        trunc = lambda v: int(v)
        sums.append((x & 15) + x + x + x * 1000000000 + trunc(x + 0.75) + trunc(x - 0.25) + (x & 255) +
                    (1000 if x & 1 else 0) + x + (x & 65535))
    c = Case("functions")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", sum(out, [])), c.output("weights", "f64", weights),
              c.output("sums", "i64", sums), "{i32: 32}"])
    c.write()


def recursion():
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def ack(m, n):
        if m == 0:
            return n + 1
        return ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))

    c = Case("recursion")
    c.launch([
        c.output("fibs", "i32", [fib(i % 12) for i in range(N)]),
        c.output("acks", "u32", [ack(i % 3, i % 5) for i in range(N)]),
        c.output("parity", "i32", [int(i % 2 == 0) + 2 * (i * 3 % 2) for i in range(N)]),
        c.output("sorted", "i32", sum([sorted((i * 37 + k * 101) % 64 for k in range(8)) for i in range(N)], []))])
    c.write()


def fnptr():
    ops = [lambda a, b: i32(a + b), lambda a, b: i32(a - b), lambda a, b: i32(a * b), lambda a, b: (a ^ b) & 0xFFFF]
    ins = [Random(303 + i).below(200) - 100 for i in range(N)]

    def fold(op):
        acc = ins[0]
        for v in ins[1:4]:
            acc = op(acc, v)
        return acc

    out = [ops[i & 3](x, i) for i, x in enumerate(ins)]
    out += [fold(ops[i >> 2 & 3]) for i in range(N)]
    out += [x * 3 for x in ins]
    out += [(ops[1] if x > 50 else ops[3])(x, 50) for x in ins]
    c = Case("fnptr")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", out), "{i32: 32}"])
    c.write()


def virtual_calls():
    c = Case("virtual_calls")
    c.launch([c.output("out", "i32", [i * i * 10 + 4 if i % 3 == 0 else i * (i + 1) // 2 * 10 + 3 for i in range(N)])])
    c.write()


def alloca():
    ins = [3 * i + 1 for i in range(N)]
    out = []
    for i in range(N):
        total = 0
        for k in range(i % 7, -1, -1):
            total = total * 3 + ins[(i + k) & 31]
        out.append(total)
    c = Case("alloca")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", out)], kernel="alloca_sum")
    c.launch([c.output("flags", "i32", [7] * N)], kernel="stack_restore")
    c.write()


def collatz(x):
    steps = 0
    while x > 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps


def asm_scopes():
    a = [collatz(i + 1) for i in range(N)]
    b = [collatz(v + 5) for v in a]
    c = Case("asm_scopes")
    c.launch([c.output("out", "u32", a + b + [2 * (i + 1 + 77 + i) for i in range(N)] + [x * 1000 + y for x, y in zip(a, b)]),
              "{i32: 32}"])
    c.write()


def assert_pass():
    ins = [i * i * 100 for i in range(N)]
    c = Case("assert_pass")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", [v // 7 for v in ins]), "{i32: 7}"])
    c.write()


def print_():
    c = Case("print")
    c.launch([c.input("values", "f64", [1.5, -2.345, 3.14159, 12345.678, 0.0001]), c.output("out", "i32", [2, 2, 2])],
             grid=3, block=64)
    c.write()


def timers():
    c = Case("timers")
    c.launch([c.output("out", "i32", [7] * 64)], block=64)
    c.write()


def divergence():
    ins = [Random(304 + i).below(400) for i in range(N)]
    ins[:4] = [0, 1, 19, 20]
    rows = [[], [], []]
    for x in ins:
        acc, big = 0, False
        for a in range(x % 7 + 1):
            if a == 5:
                continue
            b = 0
            while b * a <= x:
                acc += a ^ b
                if b > 20 or (acc & 64 and b > 3):
                    break
                b += 1
            if acc > 500:
                big = True
                break
        rows[0].append(acc if big else acc + 10000)
        steps, y, enter_middle = 0, x, x & 1
        while True:
            if not enter_middle:
                y -= 3
                steps += 1
            enter_middle = False
            y -= 2
            steps += 10
            if y <= 0:
                break
        rows[1].append(steps)
        z = -5
        if x >= 20:
            z = x
            while True:
                z = z // 3 if z % 3 == 0 else z // 2 if z % 2 == 0 else z - 1
                if not (z > 1 and z != 7):
                    break
            if z == 7:
                z = -5
        rows[2].append(z)
    c = Case("divergence")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", sum(rows, []), init="{fill: -5}"), "{i32: 32}"])
    c.write()


def early_exit():
    n, block = 300, 128
    ins = [i * 7 % 251 for i in range(n)]
    out = []
    for start in range(0, n, block):
        out += reversed(ins[start:start + block])
    c = Case("early_exit")
    c.launch([c.input("in", "i32", ins), c.output("out", "i32", out), "{i32: 300}"], grid=3, block=block)
    c.write()


def cases():
    for run in (switch_case, brx, functions, recursion, fnptr, virtual_calls, alloca, asm_scopes, assert_pass, print_,
                timers, divergence, early_exit):
        run()
