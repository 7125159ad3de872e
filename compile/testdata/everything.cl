// One use of each part of the OpenCL built-ins; it is compiled, never run.
__kernel void everything(__global float4 *a, __global const uchar *bytes, __local int *tile, __global atomic_int *at, __global int *n, __global float *f,
                         __global half *h, __global double *d, __global atomic_flag *flag) {
  size_t g = get_global_id(0) + get_global_linear_id() + get_num_groups(1) + get_work_dim() + get_global_offset(0);
  event_t e = async_work_group_copy(tile, n, get_local_size(0), 0);
  e = async_work_group_strided_copy(tile, n, 4, 2, e);
  wait_group_events(1, &e);
  float4 v = a[g];
  v = sin(v) + native_cos(v) * half_exp(v) + pow(v, v) + clamp(v, 0.0f, 1.0f) + mix(v, v.yxzw, 0.5f) + normalize(v) + smoothstep(0.0f, 1.0f, v);
  v.xyz += cross(v.xyz, v.zyx) + distance(v.xy, v.zw) + fast_length(v.xy) + max(v.x, 1.0f) + sign(v.y) + degrees(v.z) + ldexp(v.x, 2) + rootn(v.y, 3);
  float c;
  int k;
  f[0] = sincos(v.x, &c) + c + fract(v.y, &f[1]) + modf(v.z, &c) + frexp(v.x, &k) + remquo(v.x, v.y, &k) + tanpi(v.x) + lgamma(v.y) + nan(1u);
  d[0] = exp(d[1]) + fma(d[1], d[2], d[3]) + atan2(d[0], d[1]) + convert_double(k) + convert_float_rtz(d[0]);
  uchar16 u = vload16(0, bytes);
  int16 wide = convert_int16(u);
  u = convert_uchar16_sat(wide) + convert_uchar16_sat_rte(convert_float16(wide));
  vstore16(u, 0, (__global uchar *)f);
  vstore_half4(v, g, h);
  f[2] = vload_half(g, h) + vload_half2(g, h).y;
  n[0] = mad_sat(n[1], n[2], n[3]) + abs_diff(n[1], n[2]) + rhadd(n[1], n[2]) + upsample((short)1, (ushort)2) + ctz(n[1]) + mul24(n[1], n[2]) + ilogb(v.x);
  n[1] = any(isnan(v)) + all(isfinite(v)) + bitselect(1, 2, 3) + select((int2)(1), (int2)(2), isequal(v.xy, v.zw)).x + as_int2(d[0]).y;
  atomic_add(n, 1);
  atomic_cmpxchg(tile, 0, 1);
  atomic_xchg(f, 1.0f);
  atom_add((__global long *)d, 1L);
  atomic_init(at, 0);
  atomic_fetch_max_explicit(at, 3, memory_order_acq_rel, memory_scope_work_group);
  int expected = 0;
  atomic_compare_exchange_weak_explicit(at, &expected, 1, memory_order_acquire, memory_order_relaxed);
  while (atomic_flag_test_and_set(flag)) {
  }
  atomic_flag_clear(flag);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
  mem_fence(CLK_LOCAL_MEM_FENCE);
  prefetch(n, 4);
  printf("%d %f\n", n[0], f[0]);
  a[g] = v;
}
