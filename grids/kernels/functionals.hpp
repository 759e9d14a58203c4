#pragma once

#include <array>
#include <span>
#include <vector>

#include "backends/device/field.hpp"

namespace poisson {

/// A `Region` is a box of values with the axes along which masses weigh the values. A volume integral has all axes, a
/// face integral all but one.
struct Region {
  Box box;
  std::array<bool, 3> weighted{};
};

/// `Functionals` computes the sums and extrema of fields that results need. The fields are the backend's. The backend
/// computes, and only the answers are copied to the host. Sums add planes in order of z; on a GPU, slices of planes.
/// For a distributed block, results are global. Boxes are local to the process, and empty if the process owns no value
/// of a region.
class Functionals {
 public:
  struct Extremum {
    double value = 0;
    std::array<int, 3> at{};  ///< global index
  };
  /// Contains Σ m u and Σ m u², where m are the volumes of the values, and the extrema. If extrema are equal, the first
  /// one counts, x fastest.
  struct Moments {
    double first = 0, second = 0;
    Extremum low, high;
  };

  virtual ~Functionals() = default;
  virtual Moments moments(const Field& u) const = 0;
  /// Returns Σ x over each region. The boxes of regions lie within the block.
  virtual std::vector<double> sums(const Field& x, std::span<const Region> regions) const = 0;
  /// Returns Σ x y over a box. x is in fp64.
  virtual double product(const Field& x, const Field& y, const Box& box) const = 0;
  /// Returns the sum over cells of volume · x · the mean of u at the corners. x is in fp64. The block is node-centred.
  virtual double cell_product(const Field& x, const Field& u) const = 0;
  /// Returns the values of a local box, x fastest. The box may include the halo.
  virtual std::vector<double> values(const Field& x, const Box& box) const = 0;
};

}  // namespace poisson
