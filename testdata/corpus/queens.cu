// Counts solutions of the n-queens problem by backtracking with an explicit stack in local memory.
#include "../include/gpusim.cuh"

__global__ void queens(int *count, int n) {
  int first = threadIdx.x;
  if (first >= n)
    return;
  int column[12];
  int row = 1, found = 0;
  column[0] = first;
  column[1] = -1;
  while (row >= 1) {
    int c = column[row] + 1;
    for (; c < n; ++c) {
      bool free = true;
      for (int k = 0; k < row && free; ++k) {
        int d = column[k] - c;
        free = d != 0 && d != row - k && d != k - row;
      }
      if (free)
        break;
    }
    if (c == n) {
      --row;
      continue;
    }
    column[row] = c;
    if (row + 1 == n) {
      ++found;
      continue;
    }
    column[++row] = -1;
  }
  count[first] = found;
}
