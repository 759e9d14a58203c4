#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device/backend.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Describes prolongation by linear interpolation along every axis: fine value i is at i/factor in coarse values. Both
/// grids are stored without padding, x fastest; in two dimensions n[2] is 1.
struct Refinement {
  int dimension;         ///< 2, 3
  std::array<int, 3> n;  ///< fine values
  int factor;            ///< at least 2

  /// Returns the coarse values: one more than the last fine value needs, so that every interval has a right end.
  std::array<int, 3> coarse() const {
    std::array<int, 3> c{1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) c[d] = (n[d] - 1) / factor + 2;
    return c;
  }
  std::int64_t fine_size() const { return std::int64_t{1} * n[0] * n[1] * n[2]; }
  std::int64_t coarse_size() const { return std::int64_t{1} * coarse()[0] * coarse()[1] * coarse()[2]; }
  /// Returns the least traffic in fp32: every coarse value is read, every fine value is written.
  double bytes() const { return 4.0 * static_cast<double>(fine_size() + coarse_size()); }
};

/// Returns the fine value at (i, j, k) in double arithmetic, if coarse value c is noise_float(c).
double interpolated(const Refinement& refinement, int i, int j, int k);

/// Returns the largest error of filtering for values in [0, 1). The weight of every direction is rounded to a multiple
/// of 2⁻⁸, so its error is at most 2⁻⁹ of the difference of two neighbours. Devices may round products as well.
constexpr double filter_error(int dimension) {
  return dimension * 0x1p-9;
}

/// Returns whether the weights of all corners, products of the fractions i/factor of each direction, are multiples of
/// 2⁻⁸.
constexpr bool exact_in_filter(int factor, int dimension) {
  int products = 1;
  for (int d = 0; d < dimension; ++d) products *= factor;
  return 256 % products == 0;
}

/// Applies a prepared prolongation from device memory to device memory.
class Prolongation {
 public:
  virtual ~Prolongation() = default;
  virtual void apply(const float* coarse, float* fine) = 0;
};

/// Defines a prolongation method. Textures contain the coarse values of the time of `prepare`; one variant fills them
/// again in each call.
struct ProlongationVariant {
  std::string_view name;
  bool filtered;  ///< uses texture hardware with fixed-point weights
  std::unique_ptr<Prolongation> (*prepare)(Backend&, const Refinement&, const float* coarse);
};
/// Exists in builds with CUDA only.
std::span<const ProlongationVariant> prolongation_variants();

/// Derives conclusions from the panels speed-2d, error-2d, speed-3d and error-3d over refinement factors.
std::vector<std::string> conclude_interpolate(const std::vector<Panel>& panels);

}  // namespace poisson::lab
