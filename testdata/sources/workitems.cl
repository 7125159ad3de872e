// Copies by a work-group, vectors, conversions, atomics of OpenCL 2.0.
__kernel void copies(__global const int *in, __global int *out, __local int *tile) {
  event_t e = async_work_group_copy(tile, in + get_group_id(0) * get_local_size(0), get_local_size(0), 0);
  wait_group_events(1, &e);
  out[get_global_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
}

// The same without waiting for the copies of the others.
__kernel void hasty(__global const int *in, __global int *out, __local int *tile) {
  async_work_group_copy(tile, in + get_group_id(0) * get_local_size(0), get_local_size(0), 0);
  out[get_global_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
}

__kernel void vectors(__global const uchar *bytes, __global const float *f, __global int *out, __global float *g) {
  uchar4 b = vload4(0, bytes);
  int4 i = convert_int4(b) * 2;
  uchar4 s = convert_uchar4_sat(i);
  out[0] = s.x + s.y * 1000;
  float4 v = vload4(0, f);
  out[1] = convert_int_rte(v.y) * 10 + convert_int_rtp(v.x);
  out[2] = (int)dot(v, (float4)(1.0f));
  out[3] = any(isless(v, (float4)(1.0f))) + 2 * all(isgreater(v, (float4)(0.0f)));
  out[4] = select(1, 2, i.x > 100) + clz(i.y) * 10 + popcount(7) * 1000;
  out[5] = mad24(2, 3, 4) + mul_hi(1 << 30, 8) * 100 + (int)rotate(0x80000001u, 1u) * 1000 + abs(-5) * 10000;
  out[6] = add_sat(INT_MAX, 1) == INT_MAX && sub_sat((uchar)1, (uchar)2) == 0 && hadd(3, 6) == 4;
  vstore4(fma(v, v, clamp(v, 0.0f, 1.0f)), 0, g);
  vstore2(mix(v.xy, v.zw, 0.5f), 2, g);
  g[6] = length((float2)(3.0f, 4.0f)) + fmax(v.x, v.y) + sqrt(v.z) + as_float(0x3f800000);
  float whole;
  g[7] = fract(v.y, &whole) + whole;
}

__kernel void count(__global int *total, __global atomic_int *ordered, __local int *mine) {
  if (get_local_id(0) == 0) *mine = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(mine);
  atomic_max(total + 1, (int)get_global_id(0));
  atomic_fetch_add_explicit(ordered, 2, memory_order_relaxed, memory_scope_device);
  atomic_fetch_sub(ordered, 1);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_add(total, *mine);
}

// A message: data, then a flag.
__kernel void pass(__global int *data, __global atomic_int *flag, __global int *out) {
  if (get_group_id(0) == 0) {
    data[0] = 7;
    atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
  } else {
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0) {
    }
    out[0] = data[0];
  }
}
