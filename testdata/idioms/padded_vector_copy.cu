// A structure of three floats padded to 16 bytes, copied whole: the fourth word was never written.
#include "../include/gpusim.cuh"

struct __attribute__((aligned(16))) Point {
  float x, y, z;
};

struct Item {
  double weight;
  int id;
};

__global__ void fill(Point *points, Item *items) {
  int t = threadIdx.x;
  points[t].x = t;
  points[t].y = 1;
  points[t].z = 2;
  items[t].weight = 0.5;
  items[t].id = t;
}

__global__ void padded_vector_copy(const Point *points, const Item *items, Point *copies, Item *moved, float *out) {
  __shared__ Point s[32];
  int t = threadIdx.x;
  s[t] = points[t];
  copies[t] = points[t];
  moved[t] = items[31 - t];
  __syncthreads();
  Point p = s[31 - t];
  out[t] = p.x + p.y + p.z + (float)moved[t].id - 2 * p.x;
}
