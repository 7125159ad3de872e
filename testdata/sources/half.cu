// Half precision and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(const half *a, half *out, float *wide) {
  half x = a[0], y = a[1], z = __float2half(0.5f);
  out[0] = x + y;
  out[1] = x * y - z;
  out[2] = __hfma(x, y, z);
  out[3] = x / y;
  half2 p = __halves2half2(x, y), q = __hmul2(p, p);
  out[4] = __low2half(q);
  out[5] = __hadd2(q, p).y;
  out[6] = hsqrt(__float2half(16.0f));
  out[7] = x > y ? __int2half_rn(1) : __hneg(z);
  wide[0] = __half2float(x) + float(y);
  wide[1] = __half2float(__float2half_rz(1.0009f));
  wide[2] = __half2int_rn(__float2half(2.5f));
  atomicAdd((half2 *)(out + 8), __float2half2_rn(1.5f));
  atomicAdd(out + 10, x);
}

__global__ void bfloats(const __nv_bfloat16 *a, __nv_bfloat16 *out, float *wide) {
  __nv_bfloat16 x = a[0], y = a[1];
  out[0] = x + y;
  out[1] = __hfma(x, y, __float2bfloat16(1.0f));
  out[2] = __float2bfloat16(1.0f + 1.0f / 256);  // halfway: to even
  out[3] = __hmax(x, y);
  __nv_bfloat162 p = __hmul2(__nv_bfloat162(x, y), __float2bfloat162_rn(3.0f));
  out[4] = p.x;
  out[5] = p.y;
  wide[3] = __bfloat162float(x * y);
  atomicAdd(out + 6, y);
}
