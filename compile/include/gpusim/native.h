// Libdevice functions that are one PTX instruction, by that instruction: clang's headers name
// them __nv_*, and a call would cost more than it does. What is not here stays a call, which
// the simulator answers.
#pragma once

#define __nv_fadd_rn __nvvm_add_rn_f
#define __nv_dadd_rn __nvvm_add_rn_d
#define __nv_fmul_rn __nvvm_mul_rn_f
#define __nv_dmul_rn __nvvm_mul_rn_d
#define __nv_fsub_rn(a, b) __nvvm_add_rn_f(a, -(b))
#define __nv_dsub_rn(a, b) __nvvm_add_rn_d(a, -(b))
#define __nv_fmaf_rn __nvvm_fma_rn_f
#define __nv_fma_rn __nvvm_fma_rn_d
#define __nv_fdiv_rn __nvvm_div_rn_f
#define __nv_ddiv_rn __nvvm_div_rn_d
#define __nv_frcp_rn __nvvm_rcp_rn_f
#define __nv_drcp_rn __nvvm_rcp_rn_d
#define __nv_fsqrt_rn __nvvm_sqrt_rn_f
#define __nv_dsqrt_rn __nvvm_sqrt_rn_d
#define __nv_float2int_rn __nvvm_f2i_rn
#define __nv_int2float_rn __nvvm_i2f_rn
#define __nv_float2uint_rn __nvvm_f2ui_rn
#define __nv_uint2float_rn __nvvm_ui2f_rn
#define __nv_float2ll_rn __nvvm_f2ll_rn
#define __nv_ll2float_rn __nvvm_ll2f_rn
#define __nv_float2ull_rn __nvvm_f2ull_rn
#define __nv_ull2float_rn __nvvm_ull2f_rn
#define __nv_double2int_rn __nvvm_d2i_rn
#define __nv_double2uint_rn __nvvm_d2ui_rn
#define __nv_double2ll_rn __nvvm_d2ll_rn
#define __nv_ll2double_rn __nvvm_ll2d_rn
#define __nv_double2ull_rn __nvvm_d2ull_rn
#define __nv_ull2double_rn __nvvm_ull2d_rn
#define __nv_double2float_rn __nvvm_d2f_rn
#define __nv_fadd_rz __nvvm_add_rz_f
#define __nv_dadd_rz __nvvm_add_rz_d
#define __nv_fmul_rz __nvvm_mul_rz_f
#define __nv_dmul_rz __nvvm_mul_rz_d
#define __nv_fsub_rz(a, b) __nvvm_add_rz_f(a, -(b))
#define __nv_dsub_rz(a, b) __nvvm_add_rz_d(a, -(b))
#define __nv_fmaf_rz __nvvm_fma_rz_f
#define __nv_fma_rz __nvvm_fma_rz_d
#define __nv_fdiv_rz __nvvm_div_rz_f
#define __nv_ddiv_rz __nvvm_div_rz_d
#define __nv_frcp_rz __nvvm_rcp_rz_f
#define __nv_drcp_rz __nvvm_rcp_rz_d
#define __nv_fsqrt_rz __nvvm_sqrt_rz_f
#define __nv_dsqrt_rz __nvvm_sqrt_rz_d
#define __nv_float2int_rz __nvvm_f2i_rz
#define __nv_int2float_rz __nvvm_i2f_rz
#define __nv_float2uint_rz __nvvm_f2ui_rz
#define __nv_uint2float_rz __nvvm_ui2f_rz
#define __nv_float2ll_rz __nvvm_f2ll_rz
#define __nv_ll2float_rz __nvvm_ll2f_rz
#define __nv_float2ull_rz __nvvm_f2ull_rz
#define __nv_ull2float_rz __nvvm_ull2f_rz
#define __nv_double2int_rz __nvvm_d2i_rz
#define __nv_double2uint_rz __nvvm_d2ui_rz
#define __nv_double2ll_rz __nvvm_d2ll_rz
#define __nv_ll2double_rz __nvvm_ll2d_rz
#define __nv_double2ull_rz __nvvm_d2ull_rz
#define __nv_ull2double_rz __nvvm_ull2d_rz
#define __nv_double2float_rz __nvvm_d2f_rz
#define __nv_fadd_rd __nvvm_add_rm_f
#define __nv_dadd_rd __nvvm_add_rm_d
#define __nv_fmul_rd __nvvm_mul_rm_f
#define __nv_dmul_rd __nvvm_mul_rm_d
#define __nv_fsub_rd(a, b) __nvvm_add_rm_f(a, -(b))
#define __nv_dsub_rd(a, b) __nvvm_add_rm_d(a, -(b))
#define __nv_fmaf_rd __nvvm_fma_rm_f
#define __nv_fma_rd __nvvm_fma_rm_d
#define __nv_fdiv_rd __nvvm_div_rm_f
#define __nv_ddiv_rd __nvvm_div_rm_d
#define __nv_frcp_rd __nvvm_rcp_rm_f
#define __nv_drcp_rd __nvvm_rcp_rm_d
#define __nv_fsqrt_rd __nvvm_sqrt_rm_f
#define __nv_dsqrt_rd __nvvm_sqrt_rm_d
#define __nv_float2int_rd __nvvm_f2i_rm
#define __nv_int2float_rd __nvvm_i2f_rm
#define __nv_float2uint_rd __nvvm_f2ui_rm
#define __nv_uint2float_rd __nvvm_ui2f_rm
#define __nv_float2ll_rd __nvvm_f2ll_rm
#define __nv_ll2float_rd __nvvm_ll2f_rm
#define __nv_float2ull_rd __nvvm_f2ull_rm
#define __nv_ull2float_rd __nvvm_ull2f_rm
#define __nv_double2int_rd __nvvm_d2i_rm
#define __nv_double2uint_rd __nvvm_d2ui_rm
#define __nv_double2ll_rd __nvvm_d2ll_rm
#define __nv_ll2double_rd __nvvm_ll2d_rm
#define __nv_double2ull_rd __nvvm_d2ull_rm
#define __nv_ull2double_rd __nvvm_ull2d_rm
#define __nv_double2float_rd __nvvm_d2f_rm
#define __nv_fadd_ru __nvvm_add_rp_f
#define __nv_dadd_ru __nvvm_add_rp_d
#define __nv_fmul_ru __nvvm_mul_rp_f
#define __nv_dmul_ru __nvvm_mul_rp_d
#define __nv_fsub_ru(a, b) __nvvm_add_rp_f(a, -(b))
#define __nv_dsub_ru(a, b) __nvvm_add_rp_d(a, -(b))
#define __nv_fmaf_ru __nvvm_fma_rp_f
#define __nv_fma_ru __nvvm_fma_rp_d
#define __nv_fdiv_ru __nvvm_div_rp_f
#define __nv_ddiv_ru __nvvm_div_rp_d
#define __nv_frcp_ru __nvvm_rcp_rp_f
#define __nv_drcp_ru __nvvm_rcp_rp_d
#define __nv_fsqrt_ru __nvvm_sqrt_rp_f
#define __nv_dsqrt_ru __nvvm_sqrt_rp_d
#define __nv_float2int_ru __nvvm_f2i_rp
#define __nv_int2float_ru __nvvm_i2f_rp
#define __nv_float2uint_ru __nvvm_f2ui_rp
#define __nv_uint2float_ru __nvvm_ui2f_rp
#define __nv_float2ll_ru __nvvm_f2ll_rp
#define __nv_ll2float_ru __nvvm_ll2f_rp
#define __nv_float2ull_ru __nvvm_f2ull_rp
#define __nv_ull2float_ru __nvvm_ull2f_rp
#define __nv_double2int_ru __nvvm_d2i_rp
#define __nv_double2uint_ru __nvvm_d2ui_rp
#define __nv_double2ll_ru __nvvm_d2ll_rp
#define __nv_ll2double_ru __nvvm_ll2d_rp
#define __nv_double2ull_ru __nvvm_d2ull_rp
#define __nv_ull2double_ru __nvvm_ull2d_rp
#define __nv_double2float_ru __nvvm_d2f_rp
#define __nv_int2double_rn __nvvm_i2d_rn
#define __nv_uint2double_rn __nvvm_ui2d_rn
#define __nv_fabs __builtin_fabs
#define __nv_fabsf __builtin_fabsf
#define __nv_ceil __builtin_ceil
#define __nv_ceilf __builtin_ceilf
#define __nv_floor __builtin_floor
#define __nv_floorf __builtin_floorf
#define __nv_trunc __builtin_trunc
#define __nv_truncf __builtin_truncf
#define __nv_rint __builtin_rint
#define __nv_rintf __builtin_rintf
#define __nv_nearbyint __builtin_nearbyint
#define __nv_nearbyintf __builtin_nearbyintf
#define __nv_copysign __builtin_copysign
#define __nv_copysignf __builtin_copysignf
#define __nv_fmin __builtin_fmin
#define __nv_fminf __builtin_fminf
#define __nv_fmax __builtin_fmax
#define __nv_fmaxf __builtin_fmaxf
#define __nv_fma __builtin_fma
#define __nv_fmaf __builtin_fmaf
#define __nv_sqrt __nvvm_sqrt_rn_d
#define __nv_sqrtf __nvvm_sqrt_rn_f
#define __nv_rsqrtf __nvvm_rsqrt_approx_f
#define __nv_saturatef __nvvm_saturate_f
#define __nv_min(a, b) gpusim_min<int>(a, b)
#define __nv_max(a, b) gpusim_max<int>(a, b)
#define __nv_umin(a, b) gpusim_min<unsigned>(a, b)
#define __nv_umax(a, b) gpusim_max<unsigned>(a, b)
#define __nv_llmin(a, b) gpusim_min<long long>(a, b)
#define __nv_llmax(a, b) gpusim_max<long long>(a, b)
#define __nv_ullmin(a, b) gpusim_min<unsigned long long>(a, b)
#define __nv_ullmax(a, b) gpusim_max<unsigned long long>(a, b)
#define __nv_abs __builtin_abs
#define __nv_llabs __builtin_llabs
#define __nv_clz(a) gpusim_clz(a)
#define __nv_clzll(a) gpusim_clzll(a)
#define __nv_popc __builtin_popcount
#define __nv_popcll __builtin_popcountll
#define __nv_brev __builtin_bitreverse32
#define __nv_brevll __builtin_bitreverse64
#define __nv_ffs __builtin_ffs
#define __nv_ffsll __builtin_ffsll
#define __nv_byte_perm __nvvm_prmt
#define __nv_mulhi __nvvm_mulhi_i
#define __nv_umulhi __nvvm_mulhi_ui
#define __nv_mul64hi __nvvm_mulhi_ll
#define __nv_umul64hi __nvvm_mulhi_ull
#define __nv_mul24 __nvvm_mul24_i
#define __nv_umul24 __nvvm_mul24_ui
#define __nv_sad __nvvm_sad_i
#define __nv_usad __nvvm_sad_ui
#define __nv_float_as_int(a) __builtin_bit_cast(int, a)
#define __nv_float_as_uint(a) __builtin_bit_cast(unsigned, a)
#define __nv_int_as_float(a) __builtin_bit_cast(float, a)
#define __nv_uint_as_float(a) __builtin_bit_cast(float, a)
#define __nv_double_as_longlong(a) __builtin_bit_cast(long long, a)
#define __nv_longlong_as_double(a) __builtin_bit_cast(double, a)
#define __nv_isnanf __builtin_isnan
#define __nv_isnand __builtin_isnan
#define __nv_isinff __builtin_isinf
#define __nv_isinfd __builtin_isinf
#define __nv_isfinited __builtin_isfinite
#define __nv_finitef __builtin_isfinite
#define __nv_signbitf __builtin_signbit
#define __nv_signbitd __builtin_signbit
#define __nv_fast_sinf __nvvm_sin_approx_f
#define __nv_fast_cosf __nvvm_cos_approx_f
#define __nv_fast_log2f __nvvm_lg2_approx_f
#define __nv_fast_fdividef __nvvm_div_approx_f
#define __nv_fast_expf(a) __nvvm_ex2_approx_f((a) * 1.44269504f)
#define __nv_fast_exp10f(a) __nvvm_ex2_approx_f((a) * 3.32192809f)
#define __nv_fast_logf(a) (__nvvm_lg2_approx_f(a) * 0.693147181f)
#define __nv_fast_log10f(a) (__nvvm_lg2_approx_f(a) * 0.301029996f)
#define __nv_fast_powf(a, b) __nvvm_ex2_approx_f((b) * __nvvm_lg2_approx_f(a))
#define __nv_fast_tanf(a) __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a))
#define __nv_fast_sincosf(a, s, c) (*(s) = __nvvm_sin_approx_f(a), *(c) = __nvvm_cos_approx_f(a))

template <class T> GPUSIM_FN T gpusim_min(T a, T b) { return a < b ? a : b; }
template <class T> GPUSIM_FN T gpusim_max(T a, T b) { return a > b ? a : b; }
GPUSIM_FN int gpusim_clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
GPUSIM_FN int gpusim_clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
#define __nv_hadd gpusim_hadd
#define __nv_uhadd gpusim_hadd
#define __nv_rhadd gpusim_rhadd
#define __nv_urhadd gpusim_rhadd
#define __nv_double2hiint(a) (int)(__builtin_bit_cast(unsigned long long, (double)(a)) >> 32)
#define __nv_double2loint(a) (int)__builtin_bit_cast(unsigned long long, (double)(a))
#define __nv_hiloint2double(hi, lo) gpusim_hilo(hi, lo)
// Halves of sums without overflow: arithmetic shifts round down.
template <class T> GPUSIM_FN T gpusim_hadd(T a, T b) { return (a >> 1) + (b >> 1) + (a & b & 1); }
template <class T> GPUSIM_FN T gpusim_rhadd(T a, T b) { return (a >> 1) + (b >> 1) + ((a | b) & 1); }
GPUSIM_FN double gpusim_hilo(int hi, int lo) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}
