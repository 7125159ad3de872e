// What a kernel may ask of its runtime: output, assertions, memory.
#pragma once

extern "C" {
__attribute__((device)) int vprintf(const char *, const char *);
__attribute__((device)) int printf(const char *, ...);
__attribute__((device, noreturn)) void __assertfail(const char *message, const char *file, unsigned line,
                                                    const char *function, size_t charSize);
__attribute__((device)) void *malloc(size_t) __attribute__((nothrow, malloc));
__attribute__((device)) void free(void *) __attribute__((nothrow));
// The standard library's assert() calls this one.
GPUSIM_FN __attribute__((noreturn)) void __assert_fail(const char *message, const char *file, unsigned line,
                                                       const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}
namespace std {
GPUSIM_FN void *malloc(size_t n) { return ::malloc(n); }
GPUSIM_FN void free(void *p) { ::free(p); }
}  // namespace std
#include <assert.h>
#include <stdio.h>
