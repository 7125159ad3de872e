#include "textflag.h"

// func hasAVX() bool
TEXT ·hasAVX(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<27 | 1<<28), CX
	CMPL CX, $(1<<27 | 1<<28)
	JNE  done
	XORL CX, CX
	XGETBV
	ANDL $6, AX
	CMPL AX, $6
	JNE  done
	MOVB $1, ret+0(FP)
done:
	RET

// One row of the tile: adds the product of a number with 16 to two registers.
#define ROW(a, lo, hi) \
	VBROADCASTSS a, Y10    \
	VMULPS Y8, Y10, Y11    \
	VADDPS Y11, lo, lo     \
	VMULPS Y9, Y10, Y12    \
	VADDPS Y12, hi, hi

// func gemmTile(k int, a *float32, lda int, b *float32, c *float32, ldc int)
TEXT ·gemmTile(SB), NOSPLIT, $0-48
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ b+24(FP), BX
	MOVQ c+32(FP), DI
	MOVQ ldc+40(FP), R9
	SHLQ $2, R8
	SHLQ $2, R9
	LEAQ (SI)(R8*1), R10
	LEAQ (SI)(R8*2), R11
	LEAQ (R10)(R8*2), R12
	LEAQ (DI)(R9*1), R13
	LEAQ (DI)(R9*2), AX
	LEAQ (R13)(R9*2), R8
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS (R13), Y2
	VMOVUPS 32(R13), Y3
	VMOVUPS (AX), Y4
	VMOVUPS 32(AX), Y5
	VMOVUPS (R8), Y6
	VMOVUPS 32(R8), Y7
	XORQ DX, DX
loop:
	VMOVUPS (BX), Y8
	VMOVUPS 32(BX), Y9
	ROW((SI)(DX*4), Y0, Y1)
	ROW((R10)(DX*4), Y2, Y3)
	ROW((R11)(DX*4), Y4, Y5)
	ROW((R12)(DX*4), Y6, Y7)
	ADDQ $64, BX
	INCQ DX
	CMPQ DX, CX
	JLT  loop
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, (R13)
	VMOVUPS Y3, 32(R13)
	VMOVUPS Y4, (AX)
	VMOVUPS Y5, 32(AX)
	VMOVUPS Y6, (R8)
	VMOVUPS Y7, 32(R8)
	VZEROUPPER
	RET
