// arch: sm_80 flags:
// Tensor cores: mma of half precision and of bytes, wmma, and a transposed fragment.
#include "../include/gpusim.cuh"

// a is 16 by 16, b 16 by 8 by columns, c and d are 16 by 8.
__global__ void mma_half(const unsigned *a, const unsigned *b, const float *c, float *d) {
  int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  unsigned x[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]};
  unsigned y[2] = {b[g * 8 + t], b[g * 8 + t + 4]};
  int at = g * 8 + t * 2;
  float z[4] = {c[at], c[at + 1], c[at + 64], c[at + 65]};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(z[0]), "+f"(z[1]), "+f"(z[2]), "+f"(z[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  d[at] = z[0];
  d[at + 1] = z[1];
  d[at + 64] = z[2];
  d[at + 65] = z[3];
}

// a is 16 by 32 signed bytes, b 32 by 8 unsigned bytes by columns.
__global__ void mma_byte(const unsigned *a, const unsigned *b, const int *c, int *d) {
  int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  unsigned x[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]};
  unsigned y[2] = {b[g * 8 + t], b[g * 8 + t + 4]};
  int at = g * 8 + t * 2;
  int z[4] = {c[at], c[at + 1], c[at + 64], c[at + 65]};
  asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+r"(z[0]), "+r"(z[1]), "+r"(z[2]), "+r"(z[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  d[at] = z[0];
  d[at + 1] = z[1];
  d[at + 64] = z[2];
  d[at + 65] = z[3];
}

// 16 by 16 by 16; b by rows, c and d by columns. Elements of a fragment are scaled in place.
__global__ void wmma_half(const unsigned *a, const unsigned *b, const float *c, float *d) {
  int x[8], y[8];
  float z[8], w[8];
  __hmma_m16n16k16_ld_a(x, (const int *)a, 16, 0);
  __hmma_m16n16k16_ld_b(y, (const int *)b, 16, 0);
  __hmma_m16n16k16_ld_c_f32(z, c, 16, 1);
  for (int i = 0; i < 8; ++i)
    z[i] *= 2;
  __hmma_m16n16k16_mma_f32f32(w, x, y, z, 0, 0);
  __hmma_m16n16k16_st_c_f32(d, w, 16, 1);
}

// Four 8 by 8 matrices of 16 bits, through shared memory, transposed.
__global__ void transposed(const unsigned *a, unsigned *d) {
  __shared__ __attribute__((aligned(16))) unsigned m[128];
  typedef __attribute__((address_space(3))) unsigned shared_word;
  int lane = threadIdx.x;
  for (int i = lane; i < 128; i += 32)
    m[i] = a[i];
  __syncwarp();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"((unsigned)(size_t)(shared_word *)&m[lane * 4]) : "memory");
  for (int i = 0; i < 4; ++i)
    d[i * 32 + lane] = r[i];
}
