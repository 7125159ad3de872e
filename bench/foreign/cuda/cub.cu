// archs: 80
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
extern "C" __global__ void block_reduce(const int* in, int* out) {
  using R = cub::BlockReduce<int, 128>;
  __shared__ typename R::TempStorage s;
  int v = R(s).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = v;
}
extern "C" __global__ void block_scan(const int* in, int* out) {
  using S = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename S::TempStorage s;
  int v[4];
  for (int i = 0; i < 4; i++) v[i] = in[threadIdx.x * 4 + i];
  S(s).InclusiveSum(v, v);
  for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = v[i];
}
extern "C" __global__ void radix_sort(const int* in, int* out) {
  using S = cub::BlockRadixSort<int, 128, 4>;
  __shared__ typename S::TempStorage s;
  int v[4];
  for (int i = 0; i < 4; i++) v[i] = in[threadIdx.x * 4 + i];
  S(s).Sort(v);
  for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = v[i];
}
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
extern "C" __global__ void merge_sort(const int* in, int* out) {
  using S = cub::BlockMergeSort<int, 128, 4>;
  __shared__ typename S::TempStorage s;
  int v[4];
  for (int i = 0; i < 4; i++) v[i] = in[threadIdx.x * 4 + i];
  S(s).Sort(v, Less());
  for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = v[i];
}
extern "C" __global__ void block_load(const int* in, int* out) {
  using L = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using S = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union { typename L::TempStorage l; typename S::TempStorage s; } t;
  int v[4];
  L(t.l).Load(in, v);
  __syncthreads();
  for (int& x : v) x = -x;
  S(t.s).Store(out, v);
}
extern "C" __global__ void warp_reduce(const float* in, float* out) {
  using R = cub::WarpReduce<float>;
  __shared__ typename R::TempStorage s[4];
  float v = R(s[threadIdx.x / 32]).Sum(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
extern "C" __global__ void warp_scan(const int* in, int* out) {
  using S = cub::WarpScan<int>;
  __shared__ typename S::TempStorage s[4];
  int v;
  S(s[threadIdx.x / 32]).ExclusiveSum(in[threadIdx.x], v);
  out[threadIdx.x] = v;
}
