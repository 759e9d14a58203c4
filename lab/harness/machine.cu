#include <cmath>
#include <fstream>
#include <string>

#include "lab/harness/chip.hpp"
#include "lab/harness/machine.hpp"
#include "lab/harness/multiprocessors.cuh"

namespace poisson::lab::gpu {
namespace {

struct Clocks {
  long long cycles, nanoseconds;
};

// One warp spins for `cycles` clocks of its multiprocessor and also reads the global timer in nanoseconds.
__global__ void clock_kernel(long long cycles, Clocks* passed) {
  long long began = 0, ended = 0;
  const long long start = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
  while (clock64() - start < cycles) {
  }
  const long long stop = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ended));
  if (threadIdx.x == 0) *passed = {stop - start, ended - began};
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// Returns "580.65.06" from "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  …".
std::string kernel_module() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos) return word;
  return {};
}

}  // namespace

int multiprocessor_count() {
  return multiprocessors();
}

double measured_gigahertz(Backend& backend) {
  const Array<Clocks> passed(backend, 1);
  const cudaStream_t stream = stream_of(backend);
  // The first launch wakes the device. The second lasts much longer than the 1 µs resolution of the global timer.
  for (const long long cycles : {20'000'000LL, 20'000'000LL}) {
    clock_kernel<<<1, 32, 0, stream>>>(cycles, passed.data());
    cuda::launched(stream);
  }
  const Clocks clocks = passed.host()[0];
  return clocks.nanoseconds > 0 ? static_cast<double>(clocks.cycles) / static_cast<double>(clocks.nanoseconds) : 0;
}

std::string driver() {
  int number = 0;
  cuda::check(cudaDriverGetVersion(&number));
  const std::string module = kernel_module();
  return "CUDA " + version(number) + (module.empty() ? "" : ", driver " + module);
}

std::string toolkit() {
  return "CUDA " + std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__) + "." +
         std::to_string(__CUDACC_VER_BUILD__) + " (nvcc)";
}

double l2_bytes() {
  return device_attribute(cudaDevAttrL2CacheSize);
}

std::string parts() {
  return std::to_string(multiprocessors()) + " multiprocessors, " +
         std::to_string(std::lround(l2_bytes() / (1 << 20))) + " MiB of L2, ECC " +
         (device_attribute(cudaDevAttrEccEnabled) ? "on" : "off");
}

std::string clocks() {
  const auto megahertz = [](cudaDeviceAttr attribute) {
    return std::to_string(std::lround(1e-3 * device_attribute(attribute))) + " MHz";
  };
  return "at most " + megahertz(cudaDevAttrClockRate) + ", memory " + megahertz(cudaDevAttrMemoryClockRate);
}

}  // namespace poisson::lab::gpu
