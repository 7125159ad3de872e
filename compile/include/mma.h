// Matrix fragments of a warp: wmma by clang's builtins, which are the PTX instructions wmma.load, wmma.mma and wmma.store.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {
enum layout_t { mem_row_major, mem_col_major };
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
}

template <class T, int N> struct gpusim_fragment {
  typedef T element_type;
  typedef T storage_element_type;
  static constexpr int num_elements = N;
  enum { num_storage_elements = N };
  alignas(alignof(T) < 4 && sizeof(T) * N >= 4 ? 4 : alignof(T)) T x[N];
};
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment;

// The layouts as the builtins number them.
template <class A, class B> inline constexpr int gpusim_layouts = 0;
template <> inline constexpr int gpusim_layouts<row_major, col_major> = 1;
template <> inline constexpr int gpusim_layouts<col_major, row_major> = 2;
template <> inline constexpr int gpusim_layouts<col_major, col_major> = 3;

template <class F> GPUSIM_FN void fill_fragment(F &f, const typename F::element_type &v) {
  for (int i = 0; i < F::num_elements; i++) f.x[i] = v;
}
GPUSIM_FN float __float_to_tf32(float a) {
  unsigned r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(a));
  return __builtin_bit_cast(float, r);
}

// A or B, as POINTER elements.
#define GPUSIM_AB(USE, M, N, K, T, S, COUNT, BUILTIN, POINTER)                                                            \
  template <class L> struct fragment<USE, M, N, K, T, L> : gpusim_fragment<S, COUNT> {};                                  \
  GPUSIM_FN void load_matrix_sync(fragment<USE, M, N, K, T, row_major> &f, const S *p, unsigned ldm) {                    \
    BUILTIN((POINTER *)f.x, (const POINTER *)p, ldm, 0);                                                                  \
  }                                                                                                                       \
  GPUSIM_FN void load_matrix_sync(fragment<USE, M, N, K, T, col_major> &f, const S *p, unsigned ldm) {                    \
    BUILTIN((POINTER *)f.x, (const POINTER *)p, ldm, 1);                                                                  \
  }
#define GPUSIM_C(M, N, K, T, COUNT, LOAD, STORE, POINTER)                                                                 \
  template <> struct fragment<accumulator, M, N, K, T> : gpusim_fragment<T, COUNT> {};                                    \
  GPUSIM_FN void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned ldm, layout_t l) {           \
    if (l == mem_row_major) LOAD((POINTER *)f.x, (const POINTER *)p, ldm, 0);                                             \
    else LOAD((POINTER *)f.x, (const POINTER *)p, ldm, 1);                                                                \
  }                                                                                                                       \
  GPUSIM_FN void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned ldm, layout_t l) {          \
    if (l == mem_row_major) STORE((POINTER *)p, (const POINTER *)f.x, ldm, 0);                                            \
    else STORE((POINTER *)p, (const POINTER *)f.x, ldm, 1);                                                               \
  }
#define GPUSIM_MMA(M, N, K, T, D, C, DP, CP, BUILTIN)                                                                     \
  template <class LA, class LB>                                                                                           \
  GPUSIM_FN void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a,              \
                          const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, C> &c,        \
                          bool satf = false) {                                                                            \
    constexpr int l = gpusim_layouts<LA, LB>;                                                                             \
    (void)satf;                                                                                                           \
    BUILTIN((DP *)d.x, (const GPUSIM_ABP *)a.x, (const GPUSIM_ABP *)b.x, (const CP *)c.x, l, 0);                          \
  }
#define GPUSIM_MMA_SAT(M, N, K, T, BUILTIN)                                                                               \
  template <class LA, class LB>                                                                                           \
  GPUSIM_FN void mma_sync(fragment<accumulator, M, N, K, int> &d, const fragment<matrix_a, M, N, K, T, LA> &a,            \
                          const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, int> &c,      \
                          bool satf = false) {                                                                            \
    constexpr int l = gpusim_layouts<LA, LB>;                                                                             \
    if (satf) BUILTIN(d.x, (const int *)a.x, (const int *)b.x, c.x, l, 1);                                                \
    else BUILTIN(d.x, (const int *)a.x, (const int *)b.x, c.x, l, 0);                                                     \
  }

#define GPUSIM_ABP int
GPUSIM_AB(matrix_a, 16, 16, 16, __half, __half, 16, __hmma_m16n16k16_ld_a, int)
GPUSIM_AB(matrix_b, 16, 16, 16, __half, __half, 16, __hmma_m16n16k16_ld_b, int)
GPUSIM_C(16, 16, 16, __half, 8, __hmma_m16n16k16_ld_c_f16, __hmma_m16n16k16_st_c_f16, int)
GPUSIM_C(16, 16, 16, float, 8, __hmma_m16n16k16_ld_c_f32, __hmma_m16n16k16_st_c_f32, float)
GPUSIM_MMA(16, 16, 16, __half, __half, __half, int, int, __hmma_m16n16k16_mma_f16f16)
GPUSIM_MMA(16, 16, 16, __half, __half, float, int, float, __hmma_m16n16k16_mma_f16f32)
GPUSIM_MMA(16, 16, 16, __half, float, __half, float, int, __hmma_m16n16k16_mma_f32f16)
GPUSIM_MMA(16, 16, 16, __half, float, float, float, float, __hmma_m16n16k16_mma_f32f32)
GPUSIM_AB(matrix_a, 32, 8, 16, __half, __half, 16, __hmma_m32n8k16_ld_a, int)
GPUSIM_AB(matrix_b, 32, 8, 16, __half, __half, 16, __hmma_m32n8k16_ld_b, int)
GPUSIM_C(32, 8, 16, __half, 8, __hmma_m32n8k16_ld_c_f16, __hmma_m32n8k16_st_c_f16, int)
GPUSIM_C(32, 8, 16, float, 8, __hmma_m32n8k16_ld_c_f32, __hmma_m32n8k16_st_c_f32, float)
GPUSIM_MMA(32, 8, 16, __half, __half, __half, int, int, __hmma_m32n8k16_mma_f16f16)
GPUSIM_MMA(32, 8, 16, __half, __half, float, int, float, __hmma_m32n8k16_mma_f16f32)
GPUSIM_MMA(32, 8, 16, __half, float, __half, float, int, __hmma_m32n8k16_mma_f32f16)
GPUSIM_MMA(32, 8, 16, __half, float, float, float, float, __hmma_m32n8k16_mma_f32f32)
GPUSIM_AB(matrix_a, 8, 32, 16, __half, __half, 16, __hmma_m8n32k16_ld_a, int)
GPUSIM_AB(matrix_b, 8, 32, 16, __half, __half, 16, __hmma_m8n32k16_ld_b, int)
GPUSIM_C(8, 32, 16, __half, 8, __hmma_m8n32k16_ld_c_f16, __hmma_m8n32k16_st_c_f16, int)
GPUSIM_C(8, 32, 16, float, 8, __hmma_m8n32k16_ld_c_f32, __hmma_m8n32k16_st_c_f32, float)
GPUSIM_MMA(8, 32, 16, __half, __half, __half, int, int, __hmma_m8n32k16_mma_f16f16)
GPUSIM_MMA(8, 32, 16, __half, __half, float, int, float, __hmma_m8n32k16_mma_f16f32)
GPUSIM_MMA(8, 32, 16, __half, float, __half, float, int, __hmma_m8n32k16_mma_f32f16)
GPUSIM_MMA(8, 32, 16, __half, float, float, float, float, __hmma_m8n32k16_mma_f32f32)
#if __CUDA_ARCH__ >= 720
GPUSIM_C(16, 16, 16, int, 8, __imma_m16n16k16_ld_c, __imma_m16n16k16_st_c_i32, int)
GPUSIM_AB(matrix_a, 16, 16, 16, signed char, signed char, 8, __imma_m16n16k16_ld_a_s8, int)
GPUSIM_AB(matrix_b, 16, 16, 16, signed char, signed char, 8, __imma_m16n16k16_ld_b_s8, int)
GPUSIM_MMA_SAT(16, 16, 16, signed char, __imma_m16n16k16_mma_s8)
GPUSIM_AB(matrix_a, 16, 16, 16, unsigned char, unsigned char, 8, __imma_m16n16k16_ld_a_u8, int)
GPUSIM_AB(matrix_b, 16, 16, 16, unsigned char, unsigned char, 8, __imma_m16n16k16_ld_b_u8, int)
GPUSIM_MMA_SAT(16, 16, 16, unsigned char, __imma_m16n16k16_mma_u8)
GPUSIM_C(32, 8, 16, int, 8, __imma_m32n8k16_ld_c, __imma_m32n8k16_st_c_i32, int)
GPUSIM_AB(matrix_a, 32, 8, 16, signed char, signed char, 16, __imma_m32n8k16_ld_a_s8, int)
GPUSIM_AB(matrix_b, 32, 8, 16, signed char, signed char, 4, __imma_m32n8k16_ld_b_s8, int)
GPUSIM_MMA_SAT(32, 8, 16, signed char, __imma_m32n8k16_mma_s8)
GPUSIM_AB(matrix_a, 32, 8, 16, unsigned char, unsigned char, 16, __imma_m32n8k16_ld_a_u8, int)
GPUSIM_AB(matrix_b, 32, 8, 16, unsigned char, unsigned char, 4, __imma_m32n8k16_ld_b_u8, int)
GPUSIM_MMA_SAT(32, 8, 16, unsigned char, __imma_m32n8k16_mma_u8)
GPUSIM_C(8, 32, 16, int, 8, __imma_m8n32k16_ld_c, __imma_m8n32k16_st_c_i32, int)
GPUSIM_AB(matrix_a, 8, 32, 16, signed char, signed char, 4, __imma_m8n32k16_ld_a_s8, int)
GPUSIM_AB(matrix_b, 8, 32, 16, signed char, signed char, 16, __imma_m8n32k16_ld_b_s8, int)
GPUSIM_MMA_SAT(8, 32, 16, signed char, __imma_m8n32k16_mma_s8)
GPUSIM_AB(matrix_a, 8, 32, 16, unsigned char, unsigned char, 4, __imma_m8n32k16_ld_a_u8, int)
GPUSIM_AB(matrix_b, 8, 32, 16, unsigned char, unsigned char, 16, __imma_m8n32k16_ld_b_u8, int)
GPUSIM_MMA_SAT(8, 32, 16, unsigned char, __imma_m8n32k16_mma_u8)
#endif
#if __CUDA_ARCH__ >= 800
GPUSIM_AB(matrix_a, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, 8, __mma_bf16_m16n16k16_ld_a, int)
GPUSIM_AB(matrix_b, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, 8, __mma_bf16_m16n16k16_ld_b, int)
GPUSIM_MMA(16, 16, 16, __nv_bfloat16, float, float, float, float, __mma_bf16_m16n16k16_mma_f32)
GPUSIM_AB(matrix_a, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, 16, __mma_bf16_m32n8k16_ld_a, int)
GPUSIM_AB(matrix_b, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, 4, __mma_bf16_m32n8k16_ld_b, int)
GPUSIM_MMA(32, 8, 16, __nv_bfloat16, float, float, float, float, __mma_bf16_m32n8k16_mma_f32)
GPUSIM_AB(matrix_a, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, 4, __mma_bf16_m8n32k16_ld_a, int)
GPUSIM_AB(matrix_b, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, 16, __mma_bf16_m8n32k16_ld_b, int)
GPUSIM_MMA(8, 32, 16, __nv_bfloat16, float, float, float, float, __mma_bf16_m8n32k16_mma_f32)
GPUSIM_AB(matrix_a, 16, 16, 8, precision::tf32, float, 4, __mma_tf32_m16n16k8_ld_a, int)
GPUSIM_AB(matrix_b, 16, 16, 8, precision::tf32, float, 4, __mma_tf32_m16n16k8_ld_b, int)
GPUSIM_C(16, 16, 8, float, 8, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32, float)
GPUSIM_MMA(16, 16, 8, precision::tf32, float, float, float, float, __mma_tf32_m16n16k8_mma_f32)
#undef GPUSIM_ABP
#define GPUSIM_ABP double
GPUSIM_AB(matrix_a, 8, 8, 4, double, double, 1, __dmma_m8n8k4_ld_a, double)
GPUSIM_AB(matrix_b, 8, 8, 4, double, double, 1, __dmma_m8n8k4_ld_b, double)
GPUSIM_C(8, 8, 4, double, 2, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64, double)
GPUSIM_MMA(8, 8, 4, double, double, double, double, double, __dmma_m8n8k4_mma_f64)
#endif
#undef GPUSIM_ABP
#undef GPUSIM_AB
#undef GPUSIM_C
#undef GPUSIM_MMA
#undef GPUSIM_MMA_SAT
}  // namespace wmma
}  // namespace nvcuda
