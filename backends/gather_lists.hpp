#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "backends/processes.hpp"

namespace poisson {

/// What each process has, one after another, of as many as each likes.
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

/// Σ of what the planes of all processes add up to, in the order of processes and planes: the same bits wherever a grid
/// is cut between planes.
inline double sum_of_planes(const Processes& processes, const std::vector<double>& own) {
  const std::vector<double> all = gather_lists(processes, own);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

}  // namespace poisson
