// SHA-256 of one 64-byte message block a thread: rotations, choices, long unrolled integer code.
#include "../include/gpusim.cuh"

__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

GPUSIM_FN unsigned rotr(unsigned x, int n) { return x >> n | x << (32 - n); }

// The state after one block; padding is the caller's business.
__global__ void sha256(const unsigned *message, unsigned *out) {
  int t = threadIdx.x;
  unsigned w[64];
  for (int k = 0; k < 16; ++k)
    w[k] = __byte_perm(message[16 * t + k], 0, 0x0123);
  for (int k = 16; k < 64; ++k) {
    unsigned s0 = rotr(w[k - 15], 7) ^ rotr(w[k - 15], 18) ^ w[k - 15] >> 3;
    unsigned s1 = rotr(w[k - 2], 17) ^ rotr(w[k - 2], 19) ^ w[k - 2] >> 10;
    w[k] = w[k - 16] + s0 + w[k - 7] + s1;
  }
  const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned h[8];
  for (int k = 0; k < 8; ++k)
    h[k] = start[k];
  for (int k = 0; k < 64; ++k) {
    unsigned s1 = rotr(h[4], 6) ^ rotr(h[4], 11) ^ rotr(h[4], 25);
    unsigned t1 = h[7] + s1 + ((h[4] & h[5]) ^ (~h[4] & h[6])) + K[k] + w[k];
    unsigned s0 = rotr(h[0], 2) ^ rotr(h[0], 13) ^ rotr(h[0], 22);
    unsigned t2 = s0 + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
    for (int j = 7; j > 0; --j)
      h[j] = h[j - 1];
    h[4] += t1;
    h[0] = t1 + t2;
  }
  for (int k = 0; k < 8; ++k)
    out[8 * t + k] = h[k] + start[k];
}
