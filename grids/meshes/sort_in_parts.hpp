#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace poisson {

/// Sorts different values on all threads: parts first, which are then merged in pairs. The result depends on the values
/// alone.
template <class T>
void sort_in_parts(std::vector<T>& values) {
  constexpr std::int64_t parts = 16, least = 100'000;
  const auto n = static_cast<std::int64_t>(values.size());
  if (n < least) {
    std::ranges::sort(values);
    return;
  }
  const auto at = [&](std::int64_t part) { return values.begin() + n * std::min(part, parts) / parts; };
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t p = 0; p < parts; ++p) std::sort(at(p), at(p + 1));
  for (std::int64_t width = 1; width < parts; width *= 2) {
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t p = 0; p < parts; p += 2 * width) std::inplace_merge(at(p), at(p + width), at(p + 2 * width));
  }
}

}  // namespace poisson
