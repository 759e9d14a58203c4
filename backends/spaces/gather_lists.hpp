#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "backends/processes/processes.hpp"

namespace poisson {

/// Returns the lists of all processes, one after another. Their lengths may differ.
template <class T>
std::vector<T> gather_lists(const Processes& processes, const std::vector<T>& own) {
  const std::vector<std::size_t> sizes = processes.gather(own.size());
  const std::size_t most = std::ranges::max(sizes);
  std::vector<T> padded(own), received(most * sizes.size()), all;
  padded.resize(most);
  if (most > 0) processes.gather(padded.data(), most * sizeof(T), received.data());
  for (std::size_t p = 0; p < sizes.size(); ++p)
    all.insert(all.end(), received.begin() + static_cast<std::ptrdiff_t>(p * most),
               received.begin() + static_cast<std::ptrdiff_t>(p * most + sizes[p]));
  return all;
}

/// Adds the sums of the planes of all processes, in the order of processes and planes. The bits of the result do not
/// depend on where a grid is cut between planes.
inline double sum_of_planes(const Processes& processes, const std::vector<double>& own) {
  const std::vector<double> all = gather_lists(processes, own);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

}  // namespace poisson
