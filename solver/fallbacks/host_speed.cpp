#include "solver/fallbacks/host_speed.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/fallbacks/factorization.hpp"

namespace poisson {
namespace {

constexpr double least_seconds = 5e-3;  // least duration of a measurement, so that the clock and thread
                                        // starts do not matter
constexpr std::int64_t large_front = 1024, small_front = 128;  // rows
constexpr std::size_t values = std::size_t{1} << 22;           // exceeds the caches

// Returns the seconds of one call, after a warm-up call.
template <class F>
double seconds_of(const F& f) {
  using clock = std::chrono::steady_clock;
  f();
  const auto start = clock::now();
  int calls = 0;
  double elapsed = 0;
  do {
    f();
    ++calls;
    elapsed = std::chrono::duration<double>(clock::now() - start).count();
  } while (elapsed < least_seconds);
  return elapsed / calls;
}

}  // namespace

HostSpeed measure_host_speed() {
  HostSpeed speed;
  const auto flops = [](std::int64_t rows) { return static_cast<double>(rows * rows * rows) / 3; };
  speed.flops = flops(large_front) / seconds_of([] { eliminate_front(large_front); });
  speed.small_flops = flops(small_front) / seconds_of([] { eliminate_front(small_front); });
  const std::vector<double> read(values, 1);
  volatile double kept = 0;
  speed.bytes = static_cast<double>(values * sizeof(double)) / seconds_of([&] {
                  double sum = 0;
#pragma omp simd reduction(+ : sum)
                  for (std::size_t i = 0; i < values; ++i) sum += read[i];
                  kept = sum;
                });
  return speed;
}

}  // namespace poisson
