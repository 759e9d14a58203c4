#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "backends/cuda/check.cuh"
#include "backends/cuda/injection.hpp"
#include "backends/memory/error.hpp"

namespace poisson::cuda {
namespace {

Remedy remedy_of(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return Remedy::fewer_values_or_host;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
      return Remedy::other_architecture;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return Remedy::other_driver;
    case cudaErrorInvalidDevice:
    case cudaErrorDevicesUnavailable:
      return Remedy::other_device;
    default:
      return Remedy::report;
  }
}

// Returns poisson::cuda::CudaBackend::read for "virtual void poisson::cuda::CudaBackend::read(…)".
std::string_view bare_name(std::string_view function) {
  function = function.substr(0, function.find('('));
  const std::size_t space = function.rfind(' ');
  return space == std::string_view::npos ? function : function.substr(space + 1);
}

__global__ void trap_kernel() {
  __trap();
}

}  // namespace

void fail(cudaError_t status, const std::source_location& where) {
  cudaGetLastError();  // clears the error, unless the device is lost
  throw RunError("CUDA: " + std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + " in " +
                     std::string(bare_name(where.function_name())) + ", " +
                     std::filesystem::path(where.file_name()).filename().string() + ":" + std::to_string(where.line()) +
                     ")",
                 remedy_of(status));
}

void launched(cudaStream_t stream, const std::source_location& where) {
  check(cudaGetLastError(), where);
  if (injection::kernel_fails()) trap_kernel<<<1, 1, 0, stream>>>();
}

// Devices after 9.0 may run code for devices before 9.0, which does not wait for the preceding kernel (await_others).
bool launches_early() {
  constexpr int with_waits = 90;
  constexpr bool older_code = std::min({__CUDA_ARCH_LIST__}) < 10 * with_waits;
  static const bool all = [] {
    cudaFuncAttributes code{};
    check(cudaFuncGetAttributes(&code, trap_kernel));
    if (code.ptxVersion < with_waits) return false;  // also if CUDA_FORCE_PTX_JIT chose it
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    for (int device = 0; device < devices; ++device) {
      int major = 0;
      check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
      if (major < 9 || (older_code && major > 9)) return false;
    }
    return true;
  }();
  return all;
}

}  // namespace poisson::cuda
