// arch: sm_80 flags: -fno-rtti
// Virtual functions: tables of addresses in initialised module variables, calls through them.
#include "../include/gpusim.cuh"

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 4; }
};

struct Square : Shape {
  int side;
  __device__ Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};

struct Triangle : Shape {
  int base, height;
  __device__ Triangle(int b, int h) : base(b), height(h) {}
  __device__ int area() const override { return base * height / 2; }
  __device__ int corners() const override { return 3; }
};

extern "C" __device__ void __cxa_pure_virtual() { __trap(); }

__device__ __noinline__ int describe(const Shape *s) { return s->area() * 10 + s->corners(); }

__global__ void virtual_calls(int *out) {
  int i = threadIdx.x;
  Square sq(i);
  Triangle tr(i, i + 1);
  const Shape *shape = i % 3 == 0 ? (const Shape *)&sq : (const Shape *)&tr;
  out[i] = describe(shape);
}
