#pragma once

#include <vector>

namespace poisson {

/// Is implemented by operators whose rows may couple any unknowns. They provide their entries themselves, because
/// products with unit vectors would cost one product a row.
class ExplicitEntries {
 public:
  virtual ~ExplicitEntries() = default;
  /// Returns the dense matrix, row-major.
  virtual std::vector<double> dense() const = 0;
  /// Returns whether couplings of a row differ so much that sweeps use blocks and cycles visit coarse levels twice.
  virtual bool uneven() const = 0;
  /// Returns the mean number of entries of a row.
  virtual double entries_of_row() const = 0;
};

}  // namespace poisson
