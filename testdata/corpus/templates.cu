// C++: namespaces, templates, overloads, lambdas, operators, a class with a destructor; several kernels
// whose names must be told apart.
#include "../include/gpusim.cuh"

namespace math {

template <typename T> struct Vec {
  T x, y;
  __device__ Vec operator+(const Vec &o) const { return {T(x + o.x), T(y + o.y)}; }
  __device__ T dot(const Vec &o) const { return x * o.x + y * o.y; }
};

template <typename T> __global__ void scale(T *v, T factor) { v[threadIdx.x] *= factor; }
template __global__ void scale<int>(int *, int);
template __global__ void scale<double>(double *, double);

__device__ int twice(int v) { return 2 * v; }
__device__ float twice(float v) { return v + v; }

} // namespace math

struct Counter {
  int *where;
  __device__ Counter(int *p) : where(p) { *where += 1; }
  __device__ ~Counter() { *where += 100; }
};

template <typename F> __device__ int apply(F f, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += f(k);
  return sum;
}

__global__ void templates(int *out) {
  int i = threadIdx.x;
  math::Vec<int> a = {i, 2}, b = {3, i};
  int calls = 0;
  {
    Counter c(&calls);
    calls += apply([=](int k) { return k * i; }, 4);
  }
  out[i] = (a + b).dot(a) + math::twice(i) + (int)math::twice(0.5f * i) + calls;
}
