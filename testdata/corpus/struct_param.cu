// Structures as kernel parameters, with padding, arrays and pointers inside.
#include "../include/gpusim.cuh"

struct Inner {
  char c;
  short s;
};

struct Params {
  const int *data;
  int n;
  char flag;
  double scale;
  Inner inner[2];
  float weights[3];
};

__global__ void struct_param(Params p, char tail, int *out, double *scaled, Params *copy) {
  int i = threadIdx.x;
  if (i < p.n) {
    out[i] = p.data[i] + p.flag + p.inner[i & 1].c * 10 + p.inner[1].s + tail;
    scaled[i] = p.scale * p.weights[i % 3];
  }
  if (i == 0)
    *copy = p;
}
