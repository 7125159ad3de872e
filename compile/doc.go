// Package compile turns CUDA C++ and OpenCL C into PTX by a compiler that is installed: nvcc or clang. With clang no CUDA toolkit is
// needed: device headers for CUDA C++ and a library of OpenCL's built-in functions are embedded.
package compile
