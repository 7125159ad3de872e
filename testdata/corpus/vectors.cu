// Vector types of 2, 3 and 4 elements, loads and stores of vectors by the compiler and by inline PTX.
#include "../include/gpusim.cuh"

__global__ void vectors(const float4 *a, const int2 *b, const uchar4 *c, const double2 *d, const short4 *e,
                        const float3 *f, float4 *fa, int2 *fb, uchar4 *fc, double2 *fd, short4 *fe, float3 *ff) {
  int i = threadIdx.x;
  float4 x = a[i];
  fa[i] = make_float4(x.w, x.z, x.y, x.x + 1);
  int2 y = b[i];
  fb[i] = make_int2(y.y, y.x - y.y);
  uchar4 z = c[i];
  fc[i] = make_uchar4(z.z, z.x, (uchar)(z.w + z.y), 7);
  double2 u = d[i];
  fd[i] = make_double2(u.y * 2, u.x);
  short4 v = e[i];
  fe[i] = make_short4(v.w, v.z, v.y, v.x);
  float3 w = f[i];
  ff[i] = make_float3(w.z, w.x, w.y);
}

__global__ void vector_ptx(const unsigned *in, unsigned *out) {
  unsigned i = threadIdx.x, a, b, c, d;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(in + 4 * i));
  asm volatile("ld.global.v2.b32 {%0, %1}, [%2+8];" : "=r"(c), "=r"(d) : "l"(in + 4 * i));
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(out + 8 * i), "r"(d), "r"(c), "r"(b), "r"(a));
  ushort p, q, r, s;
  asm volatile("ld.global.v4.u8 {%0, %1, %2, %3}, [%4];" : "=h"(p), "=h"(q), "=h"(r), "=h"(s) : "l"(in + 4 * i));
  asm volatile("st.global.v2.u16 [%0], {%1, %2};" ::"l"(out + 8 * i + 4), "h"(s), "h"(r));
  asm volatile("st.global.v2.u16 [%0+4], {%1, %2};" ::"l"(out + 8 * i + 4), "h"(q), "h"(p));
  ull m, n;
  asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(m), "=l"(n) : "l"(in + 4 * i));
  asm volatile("st.global.u64 [%0], %1;" ::"l"(out + 8 * i + 6), "l"(m ^ n));
}
