#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device/backend.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Describes y = A x on an m × m grid. Row i of A has values in the columns i + offset of 5 or 9 neighbours, x fastest;
/// band b of row i is values[b·band_stride(m) + i]. The vector x has m + 1 zeros before and behind its m² values,
/// because rows extend across the ends of grid lines.
struct BandedProduct {
  int bands, m;
  const double* values;
  const double* x;  ///< points to row 0
  double* y;

  constexpr std::int64_t rows() const { return std::int64_t{m} * m; }
};

/// Returns the distance between bands: m² and a few memory lines. At a distance of a power of two, all bands of a row
/// would compete for a few sets of a cache.
constexpr std::int64_t band_stride(int m) {
  return (std::int64_t{m} * m + 7) / 8 * 8 + 9 * 8;
}

/// Returns the offset of band b, in the order of the grid's lines.
constexpr int band_offset(int bands, int m, int b) {
  if (bands == 9) return (b / 3 - 1) * m + b % 3 - 1;
  return b == 0 ? -m : b == 4 ? m : b - 2;
}

/// Returns the least traffic of a row: its bands, x and y once.
constexpr double bytes_per_row(int bands) {
  return 8.0 * (bands + 2);
}

/// Multiplies on all threads of the host.
void multiply_on_cpu(const BandedProduct& product);
/// Enqueues the product on the device's stream; pointers are the device's. Exists in builds with CUDA only.
void multiply_on_gpu(Backend& backend, const BandedProduct& product);

/// Describes recurrences v[i] = v[i]/2 + v[i − 1]/2 + 1/4 along `lines` independent lines of `length` values, in place
/// from start to end. The values of all lines with the same i are contiguous. A line has no parallelism.
struct Recurrences {
  int lines, length;
  double* values;
  constexpr std::int64_t size() const { return std::int64_t{lines} * length; }
};
/// Returns v[i] from its old value and v[i − 1].
constexpr double recurrence(double value, double before) {
  return 0.5 * value + (0.5 * before + 0.25);
}
/// Runs all lines on the threads of the host.
void recur_on_cpu(const Recurrences& all);
/// Runs a thread for each line on the device's stream. Exists in builds with CUDA only.
void recur_on_gpu(Backend& backend, const Recurrences& all);

/// Returns the seconds of one call on all threads of the host, or on half of them if that is faster. If another process
/// uses a core, the thread on that core delays all others, for milliseconds.
Timing time_on_cpu(Session& cpu, const std::function<void()>& work);

/// Return random data in [0, 1).
constexpr double band_value(int m, int b, std::int64_t row) {
  return static_cast<double>(noise_float(static_cast<std::uint64_t>(std::int64_t{b} * m * m + row) + (1ull << 40)));
}
constexpr double vector_value(std::int64_t row) {
  return static_cast<double>(noise_float(static_cast<std::uint64_t>(row)));
}
/// Return all bands, and x with its zeros. The threads that multiply touch their bands first, so that the pages
/// are in nearby memory.
struct Bands {
  std::size_t size;
  std::unique_ptr<double[]> values;
};
Bands band_values(int bands, int m);
std::vector<double> padded_vector(int m);

/// Computes row `row` of the product directly.
double banded_row(int bands, int m, std::int64_t row);

/// Returns the place from which one curve exceeds another by more than the noise, up to the end. NaN if there is none,
/// or if noise could move that place further than two runs may differ, because the curves are then nearly equal. Both
/// curves need points at the same places.
double ahead_from(const Panel& panel, std::string_view winner, std::string_view loser);

/// Every panel over unknowns has these variants. In the panel "lines" the data are on the GPU, and the CPU's time
/// contains their way to the host and back.
inline constexpr std::string_view cpu_curve = "CPU", gpu_curve = "GPU", transfer_curve = "GPU, with transfers",
                                  fetching_curve = "CPU, with transfers";

/// Derives two sentences from each panel over numbers of unknowns with the variants CPU, GPU, and GPU with transfers.
std::vector<std::string> conclude_crossover(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
