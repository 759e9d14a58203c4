#pragma once

#include <algorithm>
#include <vector>

#include "lab/harness/verify.cuh"

namespace poisson::lab {

/// Returns an attribute of the current device.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  cuda::check(cudaGetDevice(&device));
  cuda::check(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

inline int multiprocessors() {
  return device_attribute(cudaDevAttrMultiProcessorCount);
}

/// Returns the median of the clocks that blocks counted. Blocks that waited for the launch of others do not affect it.
inline double median_clocks(std::vector<long long> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

}  // namespace poisson::lab
