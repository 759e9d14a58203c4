#pragma once

#include <memory>
#include <optional>

#include "backends/cuda/check.cuh"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_monitor.cuh"
#include "backends/cuda/graph.cuh"

namespace poisson::cuda {

/// Contains the memory through which device and host communicate during a run.
struct CudaBackend::Watch {
  Buffer memory;
  DeviceMonitor* monitor;
  HostMailbox* mailbox = nullptr;         ///< host address
  HostMailbox* mailbox_device = nullptr;  ///< device address
  std::optional<Enter> loop;              ///< is being recorded

  explicit Watch(CudaBackend& backend)
      : memory(backend.allocate(sizeof(DeviceMonitor))), monitor(static_cast<DeviceMonitor*>(memory.data())) {
    check(cudaHostAlloc(&mailbox, sizeof(HostMailbox), cudaHostAllocMapped));
    check(cudaHostGetDevicePointer(&mailbox_device, mailbox, 0));
  }
  ~Watch() { cudaFreeHost(mailbox); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

/// Returns the graph of a recording that has expired, or null.
std::unique_ptr<Graph> former_graph(const std::unique_ptr<Recording>& recording);

}  // namespace poisson::cuda
