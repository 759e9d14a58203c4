#pragma once

#include <array>
#include <span>
#include <vector>

#include "backends/field.hpp"

namespace poisson {

/// A box of values, and along which axes their masses weigh them: along all for an integral over volumes, along all but
/// one for an integral over a face.
struct Region {
  Box box;
  std::array<bool, 3> weighted{};
};

/// What results ask of fields over a block, computed where the fields are: nothing comes back but the answers. Fields
/// are the backend's. Sums go by planes along z in their order, on a GPU by slices of planes. Of a block that several
/// processes share the answers are those of the whole, but boxes are those of a process's part, and empty where it has
/// nothing of a region.
class Functionals {
 public:
  struct Extremum {
    double value = 0;
    std::array<int, 3> at{};  ///< in the whole
  };
  /// Σ m u and Σ m u², m the volumes of the values, and the extrema: of equal ones the first, x fastest.
  struct Moments {
    double first = 0, second = 0;
    Extremum low, high;
  };

  virtual ~Functionals() = default;
  virtual Moments moments(const Field& u) const = 0;
  /// Σ x over each of the regions, whose boxes lie within the block.
  virtual std::vector<double> sums(const Field& x, std::span<const Region> regions) const = 0;
  /// Σ x y over a box; x in fp64.
  virtual double product(const Field& x, const Field& y, const Box& box) const = 0;
  /// Σ of cells: volume · x · the mean of u in the corners; x in fp64. Of node-centred blocks.
  virtual double cell_product(const Field& x, const Field& u) const = 0;
  /// The values of a box of this process's part, halo included, x fastest.
  virtual std::vector<double> values(const Field& x, const Box& box) const = 0;
};

}  // namespace poisson
