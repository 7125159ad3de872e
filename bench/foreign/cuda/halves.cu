// archs: 80 90
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
extern "C" __global__ void half_ops(const __half* a, const __half* b, __half* out) {
  int i = threadIdx.x;
  out[i] = __hadd(__hmul(a[i], b[i]), __hsub(a[i], b[i]));
}
extern "C" __global__ void half2_ops(const __half2* a, const __half2* b, __half2* out) {
  int i = threadIdx.x;
  out[i] = __hmax2(__hfma2(a[i], b[i], a[i]), __hfma2_relu(a[i], a[i], b[i]));
}
extern "C" __global__ void half_functions(const __half* a, __half* out) {
  int i = threadIdx.x;
  out[i] = hexp(a[i]) + hsqrt(__habs(a[i])) + hsin(a[i]) + hlog(__habs(a[i]) + __half(1)) + hrcp(a[i] + __half(9)) + htanh(a[i]);
}
extern "C" __global__ void bf16_ops(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out) {
  int i = threadIdx.x;
  out[i] = __bfloat162float(__hfma(a[i], b[i], a[i])) + __bfloat162float(__hmax(a[i], b[i])) + __bfloat162float(hexp2(a[i]));
}
extern "C" __global__ void conversions(const float* in, float* out) {
  int i = threadIdx.x;
  __half h = __float2half_rz(in[i]);
  __nv_bfloat16 b = __float2bfloat16_ru(in[i]);
  out[i] = __half2float(h) + __bfloat162float(b) + __half2int_rn(h) + __short2half_rd(i * 77) .operator float();
}
extern "C" __global__ void fp8(const float* in, float* out) {
  int i = threadIdx.x;
  __nv_fp8_e4m3 a(in[i]);
  __nv_fp8_e5m2 b(in[i]);
  out[i] = float(a) + float(b);
}
extern "C" __global__ void half_atomics(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2) {
  atomicAdd(h, __half(1)); atomicAdd(h2, __half2(1, 2)); atomicAdd(b, __nv_bfloat16(1)); atomicAdd(b2, __nv_bfloat162(1, 2));
}
extern "C" __global__ void compare(const __half2* a, const __half2* b, unsigned* out) {
  int i = threadIdx.x;
  out[i] = __hgt2_mask(a[i], b[i]) ^ __hequ2_mask(a[i], b[i]) ^ (__hbltu2(a[i], b[i]) ? 1 : 0) ^ (__hisnan(a[i].x) ? 2 : 0);
}
extern "C" __global__ void shuffle(const __half2* a, __half2* out) { out[threadIdx.x] = __shfl_xor_sync(~0u, a[threadIdx.x], 3); }
