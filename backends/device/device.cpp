#include "backends/device/device.hpp"

#include <charconv>
#include <limits>

#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/devices.hpp"
#endif

namespace poisson {
namespace {

// Counts the CUDA devices of this machine, or stores why there are none.
struct Devices {
  int count = 0;
  std::string reason;
  bool built = false;  // with CUDA: the user is notified if no device exists
};

Devices cuda_devices() {
#ifdef POISSON_HAVE_CUDA
  Devices devices{0, {}, true};
  devices.count = cuda::count_devices(devices.reason);
  return devices;
#else
  return {0, "this build has no CUDA", false};
#endif
}

std::unique_ptr<Backend> make_cuda(int number, [[maybe_unused]] DeviceSetup setup) {
#ifdef POISSON_HAVE_CUDA
  setup.device = number;
  return make_cuda_backend(setup);
#else
  throw InputError("no CUDA device " + std::to_string(number) + " (this build has no CUDA)", Remedy::host);
#endif
}

std::unique_ptr<Backend> make_named(const std::string& device, std::string* note, int local_rank,
                                    const DeviceSetup& setup) {
  if (device == "cpu") return make_cpu_backend();
  const Devices devices = cuda_devices();
  if (device == "auto") {
    if (devices.count > 0) return make_cuda(local_rank % devices.count, setup);
    if (note && devices.built) *note = "no CUDA device (" + devices.reason + ")";
    return make_cpu_backend();
  }
  int number = 0;
  const bool numbered = device.rfind("cuda:", 0) == 0;
  if (numbered) {
    const char* end = device.data() + device.size();
    const auto [stop, error] = std::from_chars(device.data() + 5, end, number);
    if (error != std::errc() || stop != end || number < 0)
      throw InputError("there is no device '" + device +
                       "' (a device is auto, cpu, cuda or cuda:NUMBER): write cuda:0");
  } else if (device != "cuda") {
    throw InputError("there is no device '" + device + "' (a device is auto, cpu, cuda or cuda:NUMBER): write auto");
  }
  if (devices.count == 0) throw InputError("no CUDA device (" + devices.reason + ")", Remedy::host_or_any_device);
  if (number >= devices.count)
    throw InputError("there is no device " + device + " (this machine has " + std::to_string(devices.count) +
                     ", counted from 0): use cuda:" + std::to_string(devices.count - 1));
  return make_cuda(numbered ? number : local_rank % devices.count, setup);
}

}  // namespace

std::unique_ptr<Backend> make_backend(const std::string& device, std::string* note, int local_rank,
                                      Transport transport) {
  return make_named(device, note, local_rank, {.transport = transport});
}

std::unique_ptr<Backend> make_backend(const std::string& device, const DeviceSetup& setup) {
  auto backend = make_named(device, nullptr, 0, setup);
  if (!backend->on_gpu() && (setup.stream || setup.allocate))
    throw InputError("the CPU has no streams and no device memory to borrow: leave out stream and allocator");
  return backend;
}

void prepare_device([[maybe_unused]] const std::string& device) {
#ifdef POISSON_HAVE_CUDA
  int number = 0;
  if (device.rfind("cuda:", 0) == 0) std::from_chars(device.data() + 5, device.data() + device.size(), number);
  if (device != "cpu" && number >= 0 && number < cuda_devices().count) cuda::create_context(number);
#endif
}

}  // namespace poisson
