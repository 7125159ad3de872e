// The work-group reduction of every OpenCL tutorial.
__kernel void reduce(__global const float *in, __global float *out, __local float *scratch, const unsigned int n) {
  unsigned int local_id = get_local_id(0);
  unsigned int global_id = get_global_id(0);
  scratch[local_id] = global_id < n ? in[global_id] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (unsigned int d = get_local_size(0) / 2; d > 0; d >>= 1) {
    if (local_id < d) scratch[local_id] += scratch[local_id + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (local_id == 0) out[get_group_id(0)] = scratch[0];
}
