#include <algorithm>
#include <array>
#include <cmath>

#include "lab/studies/cache/study.hpp"

namespace poisson::lab {
namespace {

// Each thread reads its share of the words repeatedly, so that the share stays in its own caches if it fits.
std::int64_t by_threads(Backend&, const std::uint64_t* data, std::int64_t words, double bytes, std::uint64_t* sums) {
  const auto rounds = std::max<std::int64_t>(1, std::llround(bytes / 8 / static_cast<double>(words)));
  std::uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma omp for simd schedule(static) nowait
    for (std::int64_t i = 0; i < words; ++i) sum += data[i];
    asm volatile("" ::: "memory");  // the compiler must not multiply instead of reading again
  }
  sums[0] = sum;
  return rounds * words;
}

}  // namespace

std::span<const ReadingWay> cpu_reading_ways() {
  static constexpr std::array all{ReadingWay{"all threads", by_threads}};
  return all;
}

}  // namespace poisson::lab
