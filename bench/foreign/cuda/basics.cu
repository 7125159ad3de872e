// archs: 70 80 90 fast-math
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void vec4(const float4* in, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = in[i];
  out[i] = make_float4(v.w, v.z, v.y, v.x);
}
extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += in[i];
  s[t] = v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 32; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    v = s[t] + s[t + 32];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (t == 0) atomicAdd(out, v);
  }
}
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void functions(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = in[i];
    out[i] = sinf(v) + cosf(v) * expf(-v * v) + logf(fabsf(v) + 1) + sqrtf(fabsf(v)) + tanhf(v) + atan2f(v, 2) + powf(fabsf(v), 1.5f) + erff(v) + cbrtf(v);
  }
}
extern "C" __global__ void doubles(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = in[i];
    out[i] = sin(v) + exp(v) + log(fabs(v) + 1) + pow(fabs(v), 0.3) + tgamma(fabs(v) + 1) + erf(v) + fmod(v * 10, 3.0) + rint(v) + hypot(v, 1.0);
  }
}
extern "C" __global__ void integers(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] / b[i] + a[i] % b[i] + __popc(a[i]) + __clz(a[i]) + __ffs(a[i]) + __mulhi(a[i], b[i]) + (int)__brev(a[i]) + __sad(a[i], b[i], 3) + (int)__byte_perm(a[i], b[i], 0x3715) + __funnelshift_l(a[i], b[i], 7) + min(a[i], b[i]) + abs(a[i]);
}
extern "C" __global__ void longs(const long long* a, const long long* b, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] / b[i] + a[i] % b[i] * 3 + __mul64hi(a[i], b[i]) + __popcll(a[i]) + (a[i] >> 3) + (a[i] << 9);
}
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[in[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
__device__ unsigned ticket;
extern "C" __global__ void last_block(const int* in, int* partial, int* out, int n) {
  __shared__ bool last;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int total = 0;
    for (int b = 0; b < gridDim.x; b++) total += partial[b];
    *out = total;
  }
}
extern "C" __global__ void votes(const int* in, int* out) {
  int v = in[threadIdx.x];
  out[threadIdx.x] = __ballot_sync(~0u, v & 1) ^ __any_sync(~0u, v > 3) ^ __all_sync(~0u, v < 99) ^ __activemask() ^ __syncthreads_count(v & 1);
}
extern "C" __global__ void local(int* out, int n) {
  int a[32];
  for (int i = 0; i < 32; i++) a[i] = i * threadIdx.x;
  out[threadIdx.x] = a[n % 32] + a[(n * threadIdx.x) % 32];
}
struct Shape { __device__ virtual float area() const { return 0; } };
struct Square : Shape { float s; __device__ Square(float s) : s(s) {} __device__ float area() const override { return s * s; } };
struct Circle : Shape { float r; __device__ Circle(float r) : r(r) {} __device__ float area() const override { return r * r * 3; } };
extern "C" __global__ void virtuals(float* out) {
  Square a(threadIdx.x); Circle b(threadIdx.x);
  Shape* s = threadIdx.x % 2 ? (Shape*)&a : (Shape*)&b;
  out[threadIdx.x] = s->area();
}
extern "C" __global__ void heap(int* out) {
  int* p = (int*)malloc(16 * sizeof(int));
  for (int i = 0; i < 16; i++) p[i] = i + threadIdx.x;
  int s = 0;
  for (int i = 0; i < 16; i++) s += p[i];
  free(p);
  out[threadIdx.x] = s;
}
extern "C" __global__ void prints(int n) { if (threadIdx.x < n) printf("thread %d %f %s\n", threadIdx.x, 1.5, "text"); }
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fib(threadIdx.x % 12); }
extern "C" __global__ void switches(const int* in, int* out) {
  int v = in[threadIdx.x], r;
  switch (v & 15) { case 0: r = v + 7; break; case 1: r = v * 3; break; case 2: r = v ^ 99; break; case 3: r = -v; break; case 4: r = v << 4; break; case 5: r = v / 3; break; case 6: r = v % 11; break; case 7: r = ~v; break; case 9: r = 5 - v; break; case 11: r = v & 77; break; default: r = 0; }
  out[threadIdx.x] = r;
}
__constant__ float coefficients[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void polynomial(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r = 0;
  for (int k = 7; k >= 0; k--) r = r * in[i] + coefficients[k];
  out[i] = r;
}
