// Mandelbrot iteration counts: loops whose length differs from lane to lane; all coordinates are
// fixed-point integers, so the counts are exact.
#include "../include/gpusim.cuh"

__global__ void mandelbrot(uchar *image, int width, int height) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height)
    return;
  long long cx = -8192 + px * 12288ll / width, cy = -4096 + py * 8192ll / height; // 12 fraction bits
  long long x = 0, y = 0;
  int k = 0;
  for (; k < 100; ++k) {
    long long xx = x * x >> 12, yy = y * y >> 12;
    if (xx + yy > 4 * 4096)
      break;
    y = (2 * x * y >> 12) + cy;
    x = xx - yy + cx;
  }
  image[py * width + px] = (uchar)k;
}
