// Warp intrinsics and integer ones, whose results every lane checks by itself: out[i] is a bit for each that is wrong.
#include <cuda_runtime.h>

#define EXPECT(bit, condition) \
  if (!(condition)) wrong |= 1u << bit

__global__ void warp(unsigned *out) {
  const unsigned all = 0xffffffffu;
  unsigned wrong = 0, lane = threadIdx.x, below = (1u << lane) - 1;
  EXPECT(0, __ballot_sync(all, lane & 1) == 0xaaaaaaaau);
  EXPECT(1, __shfl_sync(all, lane * 3, 5) == 15);
  EXPECT(2, __shfl_up_sync(all, lane, 2) == (lane < 2 ? lane : lane - 2));
  EXPECT(3, __shfl_down_sync(all, lane, 4, 8) == (lane % 8 < 4 ? lane + 4 : lane));
  EXPECT(4, __shfl_xor_sync(all, lane + 0.5, 3) == (lane ^ 3) + 0.5);
  EXPECT(5, __shfl_sync(all, (unsigned long long)lane << 40, 7) == 7ull << 40);
  EXPECT(6, __match_any_sync(all, lane / 4) == 0xfu << lane / 4 * 4);
  int same;
  EXPECT(7, __match_all_sync(all, 9, &same) == all && same == 1);
  EXPECT(8, __all_sync(all, 1) && __any_sync(all, lane == 31) && !__all_sync(all, lane));
  EXPECT(9, __activemask() == all);
#if __CUDA_ARCH__ >= 800
  EXPECT(10, __reduce_add_sync(all, lane) == 496 && __reduce_min_sync(all, (int)lane - 5) == -5 && __reduce_max_sync(all, lane) == 31);
  EXPECT(11, __reduce_or_sync(all, 1u << lane) == all && __reduce_xor_sync(all, lane) == 0 && __reduce_and_sync(all, lane | 4) == 4);
#endif
  EXPECT(12, __popc(below) == (int)lane && __clz((int)(below | 1)) == (lane < 2 ? 31 : 32 - (int)lane) && __ffs((int)(1u << lane)) == (int)lane + 1);
  EXPECT(13, __brev(1u << lane) == 0x80000000u >> lane && __popcll(~0ull >> lane) == 64 - (int)lane);
  EXPECT(14, __byte_perm(0x03020100, 0x07060504, 0x7362) == 0x07030602);
  EXPECT(15, __mulhi(-1, 2) == -1 && __umulhi(0x80000000u, 4) == 2 && __umul64hi(1ull << 63, 4) == 2 && __mul24(-3, 5) == -15);
  EXPECT(16, __funnelshift_l(0x80000001u, 0x7u, 4) == 0x78u && __funnelshift_r(0x10u, 0x3u, 4) == 0x30000001u);
  EXPECT(17, __sad(3, -4, 1) == 8 && __hadd(3, 6) == 4 && __rhadd(3, 6) == 5 && __usad(3, 9, 1) == 7);
  EXPECT(18, __dp4a(0x01010101, 0x04030201, 5) == 15 && __vadd2(0x0001ffffu, 0x00010001u) == 0x00020000u);
  EXPECT(19, __float2int_rn(2.5f) == 2 && __float2int_rz(-2.5f) == -2 && __float2uint_ru(2.1f) == 3 && __double2int_rd(-2.5) == -3);
  EXPECT(20, __int2float_rz(16777217) == 16777216.0f && __float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f);
  EXPECT(21, __fadd_ru(1.0f, 1e-9f) > 1.0f && __fadd_rz(1.0f, 1e-9f) == 1.0f && __dmul_rn(3.0, 0.5) == 1.5 && __fsub_rn(3.0f, 1.0f) == 2.0f);
  EXPECT(22, __frcp_rn(4.0f) == 0.25f && __fdiv_rn(1.0f, 4.0f) == 0.25f && __fsqrt_rn(9.0f) == 3.0f && __fmaf_rn(2.0f, 3.0f, 1.0f) == 7.0f);
  EXPECT(23, fminf(1.0f, 2.0f) == 1.0f && fmax(1.0, 2.0) == 2.0 && fabsf(-1.0f) == 1.0f && floorf(-1.5f) == -2.0f && rint(2.5) == 2.0);
  EXPECT(24, min(3u, 4u) == 3u && max(-1, 2) == 2 && abs(-3) == 3 && std::max(1.0f, 2.0f) == 2.0f && max(5ll, 4ll) == 5ll);
  EXPECT(25, __saturatef(1.5f) == 1.0f && copysignf(2.0f, -1.0f) == -2.0f && isnan(__int_as_float(0x7fffffff)) && !isinf(1.0f) && signbit(-1.0f));
  EXPECT(26, __double2hiint(1.0) == 0x3ff00000 && __hiloint2double(0x3ff00000, 0) == 1.0 && __double_as_longlong(2.0) == 0x4000000000000000ll);
  EXPECT(27, __syncthreads_count(lane < 5) == 5 && __syncthreads_and(1) && __syncthreads_or(lane == 3));
  __shared__ int shared;
  EXPECT(28, __isShared(&shared) && !__isShared(out) && __isGlobal(out));
  EXPECT(29, __fns(0xf0f0u, 0, 5) == 12);
  out[lane] = wrong;
}
