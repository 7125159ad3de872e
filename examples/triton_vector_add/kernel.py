import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def vector_add_racy(x, y, out, n, BLOCK: tl.constexpr):
    # Half a block too little: the second half of each program's elements is the next one's first half.
    i = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    mask = i < n
    sum = tl.load(out + i, mask=mask) + tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask)  # want: data-race
    tl.store(out + i, sum, mask=mask)  # want: data-race
