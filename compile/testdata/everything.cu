// One use of each part of the embedded headers; it is compiled, never run.
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <math_constants.h>
#include <mma.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/atomic>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

namespace cg = cooperative_groups;
using namespace nvcuda;

__device__ float4 table[4];

__global__ void __launch_bounds__(256, 2) language(const float4 *__restrict__ in, float4 *out, unsigned long long *u, int n) {
  extern __shared__ float dynamic[];
  uint3 t = threadIdx;
  dim3 b = blockDim;
  int i = blockIdx.x * b.x + t.x;
  float4 v = __ldg(in + i), w = __ldcs(in + i);
  __stcg(out + i, make_float4(v.x + w.y, v.y, dynamic[t.x], 1));
  out[i] = table[i % 4];
  unsigned mask = __activemask(), lane = __ballot_sync(mask, i & 1);
  lane += __shfl_sync(mask, i, 0) + __shfl_xor_sync(mask, i, 1) + __popc(lane) + __clz(i) + __ffs(i) + __brev(lane) + __byte_perm(i, n, 0x3210);
  double d = __shfl_down_sync(mask, 1.5 * i, 2);
  lane += __match_any_sync(mask, i) + __funnelshift_l(lane, mask, 3) + __mulhi(i, n) + __umul24(lane, 3) + __sad(i, n, 1) + __dp4a(i, n, 1);
  lane += __syncthreads_count(i) + __vadd2(lane, mask) + __float_as_int(v.x) + __float2int_rn(v.y) + min(i, n) + max(lane, mask);
#if __CUDA_ARCH__ >= 800
  lane += __reduce_add_sync(mask, lane) + __reduce_min_sync(mask, i);
#endif
  __syncwarp();
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  u[i] = (unsigned long long)(d * 2) + lane + clock64() + __isShared(dynamic) + (unsigned long long)__cvta_generic_to_shared(dynamic);
  atomicAdd(&u[0], 1ull);
  atomicMin((int *)u, 3);
  atomicExch((float *)u, 1.0f);
  atomicInc((unsigned *)u, 7);
  atomicCAS_block((int *)u, 1, 2);
  atomicOr_system((unsigned *)u, 4u);
  assert(i >= 0);
  if (i == n) printf("%d %f\n", i, v.x);
  int *heap = (int *)malloc(16);
  free(heap);
  if (n < 0) __trap();
}

__global__ void math(float *f, double *d, int *e) {
  float a = f[0], b = f[1], c, s;
  f[0] = sinf(a) + cosf(a) + tanf(a) + expf(a) + exp2f(a) + exp10f(a) + expm1f(a) + logf(a) + log2f(a) + log10f(a) + log1pf(a) + powf(a, b) +
         sqrtf(a) + rsqrtf(a) + cbrtf(a) + rcbrtf(a) + hypotf(a, b) + asinf(a) + acosf(a) + atanf(a) + atan2f(a, b) + sinhf(a) + coshf(a) +
         tanhf(a) + asinhf(a) + acoshf(a) + atanhf(a) + erff(a) + erfcf(a) + erfinvf(a) + normcdff(a) + tgammaf(a) + lgammaf(a) + j0f(a) +
         fmodf(a, b) + remainderf(a, b) + fdimf(a, b) + floorf(a) + ceilf(a) + truncf(a) + roundf(a) + rintf(a) + nearbyintf(a) + ldexpf(a, 3) +
         frexpf(a, e) + modff(a, f + 2) + fmaf(a, b, a) + fabsf(a) + copysignf(a, b) + nextafterf(a, b) + sinpif(a) + cospif(a) + norm3df(a, b, a) +
         __sinf(a) + __expf(a) + __logf(a) + __powf(a, b) + __fdividef(a, b) + __fadd_rz(a, b) + __fmaf_rn(a, b, a) + __frcp_rn(a) + __saturatef(a) +
         std::sqrt(a) + std::max(a, b) + std::abs(a) + std::pow(a, b) + fmin(a, b) + lrintf(a) + isnan(a) + isinf(b) + signbit(a) + CUDART_PI_F;
  sincosf(a, &s, &c);
  f[1] = s + c;
  double p = d[0], q = d[1];
  d[0] = sin(p) + cos(p) + tan(p) + exp(p) + log(p) + pow(p, q) + sqrt(p) + rsqrt(p) + cbrt(p) + hypot(p, q) + atan2(p, q) + erf(p) + tgamma(p) +
         fmod(p, q) + floor(p) + fma(p, q, p) + __dadd_rn(p, q) + __fma_rz(p, q, p) + __double2int_rz(p) + std::exp(p) + fmax(p, q) + round(p);
}

__global__ void small(half *h, half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float *f) {
  half x = h[0] * h[1] + __float2half(2.0f);
  h[2] = __hfma(x, hexp(x), hsqrt(x)) / x;
  h2[0] = __hfma2(h2[1], h2[2], __half2half2(x)) + __hmax2(h2[0], h2[1]);
  atomicAdd(h, x);
  atomicAdd(h2, h2[1]);
  __nv_bfloat16 y = b[0] * b[1] - __float2bfloat16(1.0f);
  b[2] = __hfma(y, y, y);
  b2[0] = __hfma2(b2[0], b2[1], __bfloat162bfloat162(y));
  atomicAdd(b, y);
  atomicAdd(b2, b2[0]);
  f[0] = (float)x + __bfloat162float(y) + (x > h[0]) + __hlt(y, b[0]) + __half22float2(h2[0]).x;
  h[3] = __shfl_xor_sync(~0u, x, 1);
}

__global__ void groups(int *out) {
  __shared__ int scratch[64];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int r = cg::reduce(tile, 1, cg::plus<int>()) + cg::exclusive_scan(tile, 2) + tile.shfl_xor(3, 1) + tile.any(1) + tile.ballot(1) + tile.match_any(2);
  cg::coalesced_group active = cg::coalesced_threads();
  r += active.shfl(r, 0) + cg::reduce(active, r, cg::less<int>()) + (int)active.ballot(1);
  cg::thread_group any = cg::tiled_partition(block, 8);
  any.sync();
  cg::memcpy_async(block, scratch, out, sizeof(int) * 64);
  cg::wait(block);
  cg::this_grid().sync();
  out[block.thread_rank()] = r + scratch[any.thread_rank()] + cg::labeled_partition(tile, r).size();
}

__device__ cuda::atomic<int, cuda::thread_scope_device> counter;

template <class T> __device__ void all(T *p) {
  cuda::atomic_ref<T, cuda::thread_scope_block> r(*p);
  T old = r.load(cuda::memory_order_acquire);
  r.store(old, cuda::memory_order_release);
  r.compare_exchange_weak(old, r.exchange(old), cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
  r.fetch_add(1, cuda::memory_order_relaxed);
  r.fetch_min(old);
  r.fetch_max(old);
}
__global__ void atomics(int *i, float *f, double *d, unsigned char *c, short *s, long long *l, int **p) {
  all(i);
  all(f);
  all(d);
  all(c);
  all(s);
  all(l);
  cuda::std::atomic_ref<int *> r(*p);
  r.fetch_add(2);
  counter++;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_system);
}

__global__ void asynchronous(int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stage[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&arrived, block.size());
  block.sync();
  cuda::memcpy_async(block, stage, in, cuda::aligned_size_t<4>(256), arrived);
  arrived.wait(arrived.arrive());
  arrived.arrive_and_drop();
  auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, stage, in, 256, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[threadIdx.x] = stage[threadIdx.x];
  pipe.consumer_release();
  __pipeline_memcpy_async(stage + threadIdx.x, in, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

template <class T, class C, int M, int N, int K> __global__ void product(const T *a, C *c) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::load_matrix_sync(fa, a, K);
  wmma::load_matrix_sync(fb, a, K);
  wmma::fill_fragment(fc, C(0));
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}
template __global__ void product<half, float, 16, 16, 16>(const half *, float *);
template __global__ void product<half, half, 32, 8, 16>(const half *, half *);
#if __CUDA_ARCH__ >= 720
template __global__ void product<signed char, int, 8, 32, 16>(const signed char *, int *);
#endif
#if __CUDA_ARCH__ >= 800
template __global__ void product<__nv_bfloat16, float, 16, 16, 16>(const __nv_bfloat16 *, float *);
template __global__ void product<double, double, 8, 8, 4>(const double *, double *);
#endif
