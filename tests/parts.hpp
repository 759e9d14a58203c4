#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/fields.hpp"

namespace poisson {

/// Writes the sub-block of a process to its place in the global array, x fastest.
inline void put_part(const Field& part, std::vector<double>& all) {
  const HostRead read(part);
  const Space& space = part.space();
  const auto &o = space.part().origin(), &n = space.part().all();
  dispatch(part.precision(), [&]<class T>(T) {
    const auto view = (*read).template view<T>();
    for_each_value(view, false, [&](int i, int j, int k) {
      const std::int64_t line = std::int64_t{k + o[2]} * n[1] + j + o[1];
      all[static_cast<std::size_t>(line * n[0] + i + o[0])] = static_cast<double>(view(i, j, k));
    });
  });
}

}  // namespace poisson
