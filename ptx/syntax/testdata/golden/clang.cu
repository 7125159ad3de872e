// clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-feature=+ptx80 -nocudainc -nocudalib
// -gline-tables-only -fdebug-compilation-dir=. -fdebug-prefix-map=.= -O0 (and -O2) -S clang.cu -o clang.O0.ptx
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
struct S { char c; int x; double d; };
__constant__ float coef[4] = {1.f,2.f,3.f,-0.5f};
__device__ int gv = 7;
__device__ int *gp = &gv;
__device__ void* tab[2] = {&gv, (char*)&coef[1]};
__device__ S gs = {'a', 5, 2.5};
extern __shared__ int dyn[];
__device__ inline int sq(int x) { return x*x+gv; }
__device__ inline int quad(int x) { return sq(sq(x)); }
__device__ __attribute__((noinline)) int fact(int n) { return n<2?1:n*fact(n-1); }
__device__ int (*fp)(int) = fact;
__global__ void k(int *a, S s, int n) {
  __shared__ int sh[64];
  int t = __nvvm_read_ptx_sreg_tid_x();
  sh[t] = quad(a[t]) + s.x;
  __nvvm_bar_sync(0);
  int r = fp(n) + fact(n) + sh[63-t] + dyn[t];
  asm volatile("{ .reg .pred p; .reg .b32 q; setp.ne.s32 p, %1, 0; @p bra L; mov.b32 %0, 3; L: }" : "=r"(r) : "r"(n));
  switch (n) { case 0: r += 5; break; case 1: r*=3; break; case 2: r-=7; break; case 3: r^=9; break; case 4: r|=8; break; case 5: r&=33; break;}
  a[t] = r;
}
