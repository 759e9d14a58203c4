#pragma once

#include <cstdint>

#include "backends/cpu/launch.hpp"
#include "backends/memory/view.hpp"

namespace poisson::cpu {

/// Calls f(line, packed line, values) for all lines of a box: `line` lies in a field, `packed line` in contiguous
/// memory at `row`.
template <class T, class F>
void for_each_packed_line(const View<T>& v, const Box& box, void* row, const F& f) {
  const std::int64_t n = box.last[0] - box.first[0], lines = box.last[1] - box.first[1];
  for_each_line(box, [&](int j, int k) {
    f(&v(box.first[0], j, k), static_cast<T*>(row) + ((k - box.first[2]) * lines + j - box.first[1]) * n, n);
  });
}

}  // namespace poisson::cpu
