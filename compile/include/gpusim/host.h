// The part of the CUDA runtime API that host code in a .cu calls. It is declared only, so that
// the file compiles for the device; nothing of it runs.
#pragma once

typedef enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719,
  cudaErrorUnknown = 999
} cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum {
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventBlockingSync = 1,
  cudaEventDisableTiming = 2,
  cudaHostAllocDefault = 0,
  cudaHostAllocPortable = 1,
  cudaHostAllocMapped = 2,
  cudaHostAllocWriteCombined = 4,
  cudaMemAttachGlobal = 1,
  cudaMemAttachHost = 2,
  cudaCpuDeviceId = -1
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem, memPitch;
  int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor;
  int multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, memoryClockRate, memoryBusWidth, l2CacheSize;
  int concurrentKernels, cooperativeLaunch, managedMemory, unifiedAddressing, canMapHostMemory, integrated, asyncEngineCount, ECCEnabled;
  int deviceOverlap, concurrentManagedAccess, pageableMemoryAccess, pciBusID, pciDeviceID, pciDomainID, computeMode;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};
struct cudaPointerAttributes {
  int type, device;
  void *devicePointer, *hostPointer;
};
struct cudaLaunchAttribute;
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};

extern "C" {
#define GPUSIM_API __attribute__((host, nothrow)) cudaError_t
GPUSIM_API cudaFree(void *);
GPUSIM_API cudaFreeHost(void *);
GPUSIM_API cudaFreeAsync(void *, cudaStream_t);
GPUSIM_API cudaHostGetDevicePointer(void **, void *, unsigned);
GPUSIM_API cudaHostRegister(void *, size_t, unsigned);
GPUSIM_API cudaHostUnregister(void *);
GPUSIM_API cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
GPUSIM_API cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
GPUSIM_API cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
GPUSIM_API cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t = 0);
GPUSIM_API cudaMemset(void *, int, size_t);
GPUSIM_API cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
GPUSIM_API cudaMemset2D(void *, size_t, int, size_t, size_t);
GPUSIM_API cudaMemGetInfo(size_t *, size_t *);
GPUSIM_API cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0);
GPUSIM_API cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int);
GPUSIM_API cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
GPUSIM_API cudaDeviceSynchronize(void);
GPUSIM_API cudaThreadSynchronize(void);
GPUSIM_API cudaDeviceReset(void);
GPUSIM_API cudaSetDevice(int);
GPUSIM_API cudaGetDevice(int *);
GPUSIM_API cudaGetDeviceCount(int *);
GPUSIM_API cudaGetDeviceProperties(cudaDeviceProp *, int);
GPUSIM_API cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
GPUSIM_API cudaDeviceSetCacheConfig(cudaFuncCache);
GPUSIM_API cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
GPUSIM_API cudaSetDeviceFlags(unsigned);
GPUSIM_API cudaDriverGetVersion(int *);
GPUSIM_API cudaRuntimeGetVersion(int *);
GPUSIM_API cudaGetLastError(void);
GPUSIM_API cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
GPUSIM_API cudaStreamCreate(cudaStream_t *);
GPUSIM_API cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
GPUSIM_API cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int);
GPUSIM_API cudaStreamDestroy(cudaStream_t);
GPUSIM_API cudaStreamSynchronize(cudaStream_t);
GPUSIM_API cudaStreamQuery(cudaStream_t);
GPUSIM_API cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
GPUSIM_API cudaEventCreate(cudaEvent_t *);
GPUSIM_API cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
GPUSIM_API cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
GPUSIM_API cudaEventSynchronize(cudaEvent_t);
GPUSIM_API cudaEventQuery(cudaEvent_t);
GPUSIM_API cudaEventDestroy(cudaEvent_t);
GPUSIM_API cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
GPUSIM_API cudaProfilerStart(void);
GPUSIM_API cudaProfilerStop(void);
// What clang makes of <<<...>>>.
__attribute__((host)) unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
GPUSIM_API cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
#undef GPUSIM_API
}

#define GPUSIM_API __attribute__((host)) cudaError_t
template <class T> GPUSIM_API cudaMalloc(T **, size_t);
template <class T> GPUSIM_API cudaMallocManaged(T **, size_t, unsigned = cudaMemAttachGlobal);
template <class T> GPUSIM_API cudaMallocHost(T **, size_t, unsigned = 0);
template <class T> GPUSIM_API cudaHostAlloc(T **, size_t, unsigned);
template <class T> GPUSIM_API cudaMallocPitch(T **, size_t *, size_t, size_t);
template <class T> GPUSIM_API cudaMallocAsync(T **, size_t, cudaStream_t);
template <class T> GPUSIM_API cudaMemcpyToSymbol(const T &, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T> GPUSIM_API cudaMemcpyToSymbolAsync(const T &, const void *, size_t, size_t, cudaMemcpyKind, cudaStream_t = 0);
template <class T> GPUSIM_API cudaMemcpyFromSymbol(void *, const T &, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T> GPUSIM_API cudaGetSymbolAddress(void **, const T &);
template <class T> GPUSIM_API cudaGetSymbolSize(size_t *, const T &);
template <class T> GPUSIM_API cudaLaunchKernel(const T *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
template <class T> GPUSIM_API cudaLaunchCooperativeKernel(const T *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
template <class... F, class... A> GPUSIM_API cudaLaunchKernelEx(const cudaLaunchConfig_t *, void (*)(F...), A &&...);
template <class T> GPUSIM_API cudaFuncSetAttribute(T *, cudaFuncAttribute, int);
template <class T> GPUSIM_API cudaFuncGetAttributes(cudaFuncAttributes *, T *);
template <class T> GPUSIM_API cudaFuncSetCacheConfig(T *, cudaFuncCache);
template <class T> GPUSIM_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, T, int, size_t);
template <class T> GPUSIM_API cudaOccupancyMaxPotentialBlockSize(int *, int *, T, size_t = 0, int = 0);
#undef GPUSIM_API
