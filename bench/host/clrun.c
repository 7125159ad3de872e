// clrun runs one OpenCL kernel, checks what it computed, and prints its best time.
//
//   clrun FILE.cl KERNEL GLOBAL LOCAL REPETITIONS ARGUMENT...
//
// GLOBAL and LOCAL are one to three numbers with commas, x first. An argument is
//   in:FILE.npy    a buffer with this content, which the kernel must leave alone
//   out:FILE.npy   a buffer without defined content that must hold this at the end
//   zero:FILE.npy  the same, but it begins as zeros
//   i32:N          a scalar of 32 bits
// It prints three lines: platform, compute units, and the best kernel time in nanoseconds
// from the profiling events. With several repetitions an untimed one comes first, because
// drivers compile for a work-group size at its first use. Exit status 1: a wrong result, a
// failed call or bad usage.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 16 };

// Compilers contract a*b+c as they like, so floats are compared with this tolerance,
// relative above 1 and absolute below.
static const float TOLERANCE = 1e-4f;

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "clrun: %s: %s\n", what, detail);
  exit(1);
}

static void check(cl_int status, const char *call) {
  if (status == CL_SUCCESS)
    return;
  char text[32];
  snprintf(text, sizeof text, "error %d", status);
  fail(call, text);
}

struct array {
  char *bytes;
  size_t size;
  int is_f32;
};

static char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f)
    fail(path, "cannot open");
  if (fseek(f, 0, SEEK_END) != 0)
    fail(path, "cannot seek");
  long n = ftell(f);
  rewind(f);
  char *bytes = malloc((size_t)n + 1);
  if (n < 0 || !bytes || fread(bytes, 1, (size_t)n, f) != (size_t)n)
    fail(path, "cannot read");
  fclose(f);
  bytes[n] = 0;
  *size = (size_t)n;
  return bytes;
}

// read_npy reads version 1 of the .npy format: magic, version, a 16-bit header length, a
// header in words, then the elements.
static struct array read_npy(const char *path) {
  size_t n;
  char *file = read_file(path, &n);
  if (n < 10 || memcmp(file, "\x93NUMPY\x01", 7) != 0)
    fail(path, "not a version 1 .npy file");
  size_t start = 10 + (unsigned char)file[8] + 256u * (unsigned char)file[9];
  if (start > n)
    fail(path, "truncated");
  char first = file[start];
  file[start] = 0;
  struct array a = {file + start, n - start, strstr(file + 10, "<f4") != NULL};
  file[start] = first;
  return a;
}

enum kind { IN, OUT, ZERO };

struct buffer {
  enum kind kind;
  const char *path;
  struct array want;
  cl_mem mem;
};

static void compare(const struct buffer *b, const char *got) {
  char where[128];
  if (b->kind == IN || !b->want.is_f32) {
    for (size_t i = 0; i < b->want.size; i++)
      if (got[i] != b->want.bytes[i]) {
        snprintf(where, sizeof where, "wrong result at byte %zu", i);
        fail(b->path, where);
      }
    return;
  }
  for (size_t i = 0; i < b->want.size / 4; i++) {
    float g, w;
    memcpy(&g, got + 4 * i, 4);
    memcpy(&w, b->want.bytes + 4 * i, 4);
    if (!(fabsf(g - w) <= TOLERANCE * fmaxf(1, fabsf(w)))) {
      snprintf(where, sizeof where, "wrong result at element %zu: %g, not %g", i, g, w);
      fail(b->path, where);
    }
  }
}

static cl_uint extents(const char *text, size_t size[3]) {
  cl_uint n = 0;
  for (char *end; n < 3; text = end + 1) {
    size[n++] = strtoul(text, &end, 10);
    if (size[n - 1] == 0 || (*end && *end != ','))
      fail(text, "not a size");
    if (!*end)
      break;
  }
  return n;
}

static cl_kernel build(cl_context context, cl_device_id device, const char *path, const char *name) {
  size_t length;
  cl_int err;
  const char *text = read_file(path, &length);
  cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &err);
  check(err, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fail(path, log);
  }
  cl_kernel kernel = clCreateKernel(program, name, &err);
  check(err, "clCreateKernel");
  return kernel;
}

static int prefix(const char *text, const char *word, const char **rest) {
  size_t n = strlen(word);
  *rest = text + n;
  return strncmp(text, word, n) == 0;
}

int main(int argc, char **argv) {
  if (argc < 6 || argc - 6 > MAX_ARGS)
    fail("usage", "clrun FILE.cl KERNEL GLOBAL LOCAL REPETITIONS ARGUMENT...");

  cl_platform_id platform;
  cl_device_id device;
  char name[256] = "";
  cl_uint units = 0;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL), "clGetPlatformInfo");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  check(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL), "clGetDeviceInfo");
  printf("platform %s\nunits %u\n", name, units);

  cl_int err;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  check(err, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
  check(err, "clCreateCommandQueue");
  cl_kernel kernel = build(context, device, argv[1], argv[2]);

  struct buffer buffers[MAX_ARGS];
  int nbuffers = 0;
  for (int i = 6; i < argc; i++) {
    const char *rest;
    if (prefix(argv[i], "i32:", &rest)) {
      cl_int value = (cl_int)strtol(rest, NULL, 10);
      check(clSetKernelArg(kernel, (cl_uint)i - 6, sizeof value, &value), "clSetKernelArg");
      continue;
    }
    struct buffer *b = &buffers[nbuffers++];
    if (prefix(argv[i], "in:", &b->path))
      b->kind = IN;
    else if (prefix(argv[i], "out:", &b->path))
      b->kind = OUT;
    else if (prefix(argv[i], "zero:", &b->path))
      b->kind = ZERO;
    else
      fail(argv[i], "not an argument");
    b->want = read_npy(b->path);
    b->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, b->want.size, NULL, &err);
    check(err, "clCreateBuffer");
    check(clSetKernelArg(kernel, (cl_uint)i - 6, sizeof b->mem, &b->mem), "clSetKernelArg");
    if (b->kind == IN)
      check(clEnqueueWriteBuffer(queue, b->mem, CL_TRUE, 0, b->want.size, b->want.bytes, 0, NULL, NULL), "clEnqueueWriteBuffer");
  }

  size_t global[3], local[3];
  cl_uint dims = extents(argv[3], global);
  if (extents(argv[4], local) != dims)
    fail(argv[4], "not as many sizes as the global one");
  int repetitions = atoi(argv[5]);
  cl_ulong best = 0;
  for (int r = repetitions > 1 ? -1 : 0; r < repetitions; r++) {
    for (int i = 0; i < nbuffers; i++)
      if (buffers[i].kind == ZERO) {
        char *zeros = calloc(1, buffers[i].want.size);
        check(clEnqueueWriteBuffer(queue, buffers[i].mem, CL_TRUE, 0, buffers[i].want.size, zeros, 0, NULL, NULL), "clEnqueueWriteBuffer");
        free(zeros);
      }
    cl_event event;
    check(clEnqueueNDRangeKernel(queue, kernel, dims, NULL, global, local, 0, NULL, &event), "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    cl_ulong start, end;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "clGetEventProfilingInfo");
    clReleaseEvent(event);
    if (r == 0 || (r > 0 && end - start < best))
      best = end - start;
  }
  for (int i = 0; i < nbuffers; i++) {
    char *got = malloc(buffers[i].want.size);
    if (!got)
      fail(buffers[i].path, "out of memory");
    check(clEnqueueReadBuffer(queue, buffers[i].mem, CL_TRUE, 0, buffers[i].want.size, got, 0, NULL, NULL), "clEnqueueReadBuffer");
    compare(&buffers[i], got);
    free(got);
  }
  printf("nanoseconds %" PRIu64 "\n", (uint64_t)best);
  return 0;
}
