#pragma once

#include <cstdint>

#include "backends/cpu/launch.hpp"

namespace poisson::cpu {

/// Calls f(j, k) for every line of a box on this thread. A parallel region of one thread would cost a system call.
template <class F>
void for_each_line_alone(const Box& box, const F& f) {
  if (box.last[0] <= box.first[0]) return;
  for (int k = box.first[2]; k < box.last[2]; ++k)
    for (int j = box.first[1]; j < box.last[1]; ++j) f(j, k);
}

/// Calls f(j, k) for every line of a box: of small ones on this thread, of others on all threads.
template <class F>
void for_each_line_of_any(const Box& box, const F& f) {
  if (box.size() > parallel_threshold)
    for_each_line(box, f);
  else
    for_each_line_alone(box, f);
}

/// Calls f(b, lines) for boxes 0 to `count` − 1, and f calls lines(g) to have g(j, k) called for all lines of
/// box_of(b). Small boxes are shared out among threads; lines of boxes with more than `threshold` values are, too.
template <class BoxOf, class F>
void for_each_box(std::int64_t count, const BoxOf& box_of, std::int64_t threshold, const F& f) {
  std::int64_t in_small = 0;
  for (std::int64_t b = 0; b < count; ++b) {
    const std::int64_t size = box_of(b).size();
    in_small += size <= threshold ? size : 0;
  }
#pragma omp parallel for schedule(dynamic, 4) if (in_small > threshold)
  for (std::int64_t b = 0; b < count; ++b)
    if (const Box box = box_of(b); box.size() <= threshold) f(b, [&](const auto& g) { for_each_line_alone(box, g); });
  for (std::int64_t b = 0; b < count; ++b)
    if (const Box box = box_of(b); box.size() > threshold)
      f(b, [&](const auto& g) { for_each_line(box, threshold, g); });
}

}  // namespace poisson::cpu
