#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/host_slots.hpp"
#include "grids/kernels/cuda/sampled_columns.cuh"
#include "grids/sampling/sampler.hpp"

namespace poisson::cuda {

/// Selects no shared launches: set-up shares none.
struct NoSteps {
  template <class T>
  using Columns = ColumnList<>;
};

/// Calls f for the slabs of a box with at most this number of layers along an axis.
template <class F>
void for_each_slab(const Box& box, std::size_t axis, int layers, const F& f) {
  for (Box slab = box; slab.first[axis] < box.last[axis]; slab.first[axis] = slab.last[axis]) {
    slab.last[axis] = std::min(box.last[axis], slab.first[axis] + layers);
    f(slab);
  }
}

/// Stores values of the host in fields of a device.
class HostValues {
 public:
  explicit HostValues(CudaBackend& device) : device_(device) {}

  /// Stores the values of a box, x fastest.
  void store(const Box& box, std::span<const double> values, const FillTarget& target) const {
    const Buffer there = device_.allocate(values.size_bytes());
    device_.write(values.data(), there.data(), values.size_bytes());
    put(box, there, target);
  }

  /// Stores the lines that `on_host`(box, sink) passes to the sink. Copies slabs, so that neither the host nor the
  /// device needs a second array as large as the field. The host computes the values of the next slabs while the device
  /// copies and stores the last ones.
  template <class OnHost>
  void store_computed(const Box& box, const FillTarget& target, const OnHost& on_host) const {
    const std::size_t axis = box.last[2] - box.first[2] > 1 ? 2 : 1;
    const int all = box.last[axis] - box.first[axis];
    const std::int64_t layer = box.size() / all;
    const auto layers_of = [&](std::int64_t values) {
      return static_cast<int>(std::clamp<std::int64_t>(values / layer, 1, all));
    };
    const int layers = layers_of(staged_values), layers_here = layers * (layers_of(values_of_slot) / layers);
    HostSlots slots(static_cast<std::size_t>(layer * layers_here), device_.stream());
    const Buffer there = device_.allocate(static_cast<std::size_t>(layer * layers) * sizeof(double));
    for_each_slab(box, axis, layers_here, [&](const Box& part) {
      const std::int64_t nx = part.last[0] - part.first[0], ny = part.last[1] - part.first[1];
      double* const values = slots.next();
      on_host(part, [&](int j, int k, const double* line) {
        std::copy_n(line, nx, values + ((k - part.first[2]) * ny + (j - part.first[1])) * nx);
      });
      const double* next = values;
      for_each_slab(part, axis, layers, [&](const Box& slab) {
        const auto bytes = static_cast<std::size_t>(slab.size()) * sizeof(double);
        check(cudaMemcpyAsync(there.data(), next, bytes, cudaMemcpyHostToDevice, device_.stream()));
        put(slab, there, target);
        next += slab.size();
      });
      slots.sent();
    });
  }

 private:
  // The host computes about this number of values before they are sent in slabs.
  static constexpr std::int64_t values_of_slot = std::int64_t{1} << 18;

  void put(const Box& box, const Buffer& there, const FillTarget& target) const {
    Put column{static_cast<const double*>(there.data()), {}, {}, target};
    for (std::size_t d = 0; d < 3; ++d) {
      column.first[d] = box.first[d];
      column.n[d] = box.last[d] - box.first[d];
    }
    device_.for_columns<NoSteps>(box, column);
  }

  CudaBackend& device_;
};

}  // namespace poisson::cuda
