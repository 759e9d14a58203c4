#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// y = A x on an m × m grid: row i of A has its values in columns i + offset of 5 or 9 neighbours, x fastest. Band b of
/// row i is values[b·band_stride(m) + i]. x has m + 1 zeros before and behind its m² values; rows reach over the ends
/// of grid lines.
struct BandedProduct {
  int bands, m;
  const double* values;
  const double* x;  ///< the value of row 0
  double* y;

  constexpr std::int64_t rows() const { return std::int64_t{m} * m; }
};

/// From one band to the next: m² and some lines, so that bands do not lie a power of two apart, where rows of all of
/// them would meet in the same few sets of a cache.
constexpr std::int64_t band_stride(int m) {
  return (std::int64_t{m} * m + 7) / 8 * 8 + 9 * 8;
}

/// The offset of band b: those of the grid's stencil in the order of its lines.
constexpr int band_offset(int bands, int m, int b) {
  if (bands == 9) return (b / 3 - 1) * m + b % 3 - 1;
  return b == 0 ? -m : b == 4 ? m : b - 2;
}

/// Least traffic of a row: its bands, x and y once.
constexpr double bytes_per_row(int bands) {
  return 8.0 * (bands + 2);
}

/// On all threads of the host.
void multiply_on_cpu(const BandedProduct& product);
/// On the device's stream, not waiting for it; pointers are the device's. Only in builds with CUDA.
void multiply_on_gpu(Backend& backend, const BandedProduct& product);

/// Seconds of one call on all threads of the host, or on half of them where that is faster: where others use a core,
/// the thread that shares it keeps all the others waiting, for milliseconds.
Timing time_on_cpu(Session& cpu, const std::function<void()>& work);

/// Random data, in [0, 1).
constexpr double band_value(int m, int b, std::int64_t row) {
  return static_cast<double>(noise_float(static_cast<std::uint64_t>(std::int64_t{b} * m * m + row) + (1ull << 40)));
}
constexpr double vector_value(std::int64_t row) {
  return static_cast<double>(noise_float(static_cast<std::uint64_t>(row)));
}
/// All bands, and x with its zeros, of these data. Bands are first touched by the threads that multiply with them, so
/// that their pages lie near these.
struct Bands {
  std::size_t size;
  std::unique_ptr<double[]> values;
};
Bands band_values(int bands, int m);
std::vector<double> padded_vector(int m);

/// Row `row` of the product of these data, in the plainest way.
double banded_row(int bands, int m, std::int64_t row);

/// The place from which on a curve is ahead of another by more than the noise, up to the end. NaN where there is none,
/// or where noise could move it further than two runs may differ: the curves then run beside each other. Both have
/// points at the same places.
double ahead_from(const Panel& panel, std::string_view winner, std::string_view loser);

/// The variants of every panel.
inline constexpr std::string_view cpu_curve = "CPU", gpu_curve = "GPU", transfer_curve = "GPU, with transfers";

/// Of panels over numbers of unknowns with the variants CPU, GPU, and GPU, with transfers: two sentences for each.
std::vector<std::string> conclude_crossover(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
