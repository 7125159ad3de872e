// Control flow that differs between lanes: nested loops with break and continue, early return,
// short-circuit conditions, a loop with two entries, exit from a nested block.
#include "../include/gpusim.cuh"

__global__ void divergence(const int *in, int *out, int n) {
  int i = threadIdx.x;
  int x = in[i];
  out[0 * n + i] = -1;
  int acc = 0;
  for (int a = 0; a < x % 7 + 1; ++a) {
    if (a == 5)
      continue;
    for (int b = 0;; ++b) {
      if (b * a > x)
        break;
      acc += a ^ b;
      if (b > 20 || (acc & 64 && b > 3))
        break;
    }
    if (acc > 500)
      goto out_of_loops;
  }
  acc += 10000;
out_of_loops:
  out[0 * n + i] = acc;

  // Irreducible: the loop is entered in the middle by the lanes with an odd value.
  int steps = 0, y = x;
  if (x & 1)
    goto middle;
top:
  y -= 3;
  ++steps;
middle:
  y -= 2;
  steps += 10;
  if (y > 0)
    goto top;
  out[1 * n + i] = steps;

  if (x < 20)
    return;
  int z = x;
  do {
    if (z % 3 == 0)
      z /= 3;
    else if (z % 2 == 0)
      z /= 2;
    else
      z -= 1;
  } while (z > 1 && z != 7);
  if (z == 7)
    asm volatile("exit;");
  out[2 * n + i] = z;
}
