// Matrix multiplication on tensor cores: half precision in, single precision out. A block of four
// warps computes 32 by 16 elements of c, each warp 16 by 8 of them. n is a multiple of 32.
#include "../../testdata/include/gpusim.cuh"

// A warp's fragments, from 16 bytes that each of its lanes (16 of them for x2) points at.
#define LDMATRIX_X4(r, p)                                                                              \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"                      \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"((unsigned)(size_t)(p)) : "memory")
#define LDMATRIX_X2_TRANS(r, p)                                                                        \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"                        \
               : "=r"(r[0]), "=r"(r[1]) : "r"((unsigned)(size_t)(p)) : "memory")
#define MMA(d, a, b)                                                                                   \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "                  \
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                         \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

typedef __attribute__((address_space(3))) ushort shared_half;

// BUG: a fast warp fills the tiles of the next step while slow warps still load fragments of this one.
__global__ void matmul(const ushort *a, const ushort *b, float *c, int n) {
  __shared__ __attribute__((aligned(16))) ushort as[32][16];
  __shared__ __attribute__((aligned(16))) ushort bs[16][16];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int row = blockIdx.y * 32, col = blockIdx.x * 16;
  int wrow = warp / 2 * 16, wcol = warp % 2 * 8;
  float d[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 512; i += 128)
      as[i / 16][i % 16] = a[(row + i / 16) * n + k + i % 16]; // want: data-race
    for (int i = t; i < 256; i += 128)
      bs[i / 16][i % 16] = b[(k + i / 16) * n + col + i % 16]; // want: data-race
    __syncthreads();
    unsigned fa[4], fb[2];
    LDMATRIX_X4(fa, (shared_half *)&as[wrow + lane % 16][lane / 16 * 8]); // want: data-race
    LDMATRIX_X2_TRANS(fb, (shared_half *)&bs[lane % 16][wcol]); // want: data-race
    MMA(d, fa, fb);
  }
  float *out = c + (row + wrow + lane / 4) * n + col + wcol + lane % 4 * 2;
  out[0] = d[0];
  out[1] = d[1];
  out[8 * n] = d[2];
  out[8 * n + 1] = d[3];
}

__global__ void matmul_fixed(const ushort *a, const ushort *b, float *c, int n) {
  __shared__ __attribute__((aligned(16))) ushort as[32][16];
  __shared__ __attribute__((aligned(16))) ushort bs[16][16];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int row = blockIdx.y * 32, col = blockIdx.x * 16;
  int wrow = warp / 2 * 16, wcol = warp % 2 * 8;
  float d[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 512; i += 128)
      as[i / 16][i % 16] = a[(row + i / 16) * n + k + i % 16];
    for (int i = t; i < 256; i += 128)
      bs[i / 16][i % 16] = b[(k + i / 16) * n + col + i % 16];
    __syncthreads();
    unsigned fa[4], fb[2];
    LDMATRIX_X4(fa, (shared_half *)&as[wrow + lane % 16][lane / 16 * 8]);
    LDMATRIX_X2_TRANS(fb, (shared_half *)&bs[lane % 16][wcol]);
    MMA(d, fa, fb);
    __syncthreads();
  }
  float *out = c + (row + wrow + lane / 4) * n + col + wcol + lane % 4 * 2;
  out[0] = d[0];
  out[1] = d[1];
  out[8 * n] = d[2];
  out[8 * n + 1] = d[3];
}
