// switch statements, dense and sparse, with fall-through, as a small stack machine.
#include "../include/gpusim.cuh"

__global__ void switch_case(const uchar *code, int length, const int *in, int *out) {
  int i = threadIdx.x;
  int stack[8];
  int top = 0;
  stack[0] = in[i];
  const uchar *pc = code + (i % 4) * length;
  for (int k = 0; k < length; ++k) {
    switch (pc[k]) {
    case 0: // push the input
      stack[++top] = in[i];
      break;
    case 1: // push the step
      stack[++top] = k;
      break;
    case 2: // add
      --top;
      stack[top] += stack[top + 1];
      break;
    case 3: // multiply
      --top;
      stack[top] *= stack[top + 1];
      break;
    case 4: // negate, then as 5
      stack[top] = -stack[top];
      // fall through
    case 5:
      stack[top] ^= 0x55;
      break;
    case 6: // conditional skip
      if (stack[top] & 1)
        ++k;
      break;
    case 7: // duplicate
      stack[top + 1] = stack[top];
      ++top;
      break;
    case 200:
      stack[top] >>= 3;
      break;
    default:
      stack[top] -= 1000;
    }
  }
  int sum = 0;
  for (int k = 0; k <= top; ++k)
    sum = sum * 31 + stack[k];
  out[i] = sum;
}
