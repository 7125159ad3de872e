// Package syntax reads PTX text into a resolved and checked tree: every name of an instruction
// points to the register, variable, function or label it means, nested blocks are flattened, and
// debug information is folded into the source position of each instruction. What an instruction
// does is not known here: any opcode of the PTX ISA passes with whatever modifiers and operands.
package syntax
