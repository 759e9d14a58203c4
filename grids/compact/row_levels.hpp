#pragma once

#include <memory>
#include <vector>

#include "grids/compact/row_steps.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Contains what operators of a matrix need besides its entries.
struct RowLevelOptions {
  Precision precision = Precision::fp32;  ///< of the levels
  bool multigrid = true;                  ///< false: the finest level alone
  bool singular = false;                  ///< A maps constants to zero
  std::vector<double> weights;            ///< of rows in the mean that a singular problem leaves free; empty: equal
};

/// Makes the levels of algebraic multigrid on a GPU and owns what they share.
class RowLevels {
 public:
  virtual ~RowLevels() = default;
  /// Adds the operators and transfers of all levels of a matrix, which is on the host or on the device. If patterns are
  /// kept, later calls need the pattern of the first one and keep its aggregates.
  virtual void make(const CsrView& A, bool on_device, const RowLevelOptions& options, Hierarchy& to) = 0;
  /// Returns the finest operator of the last call in another precision.
  virtual std::unique_ptr<Operator> finest(Precision precision) const = 0;
  /// Returns the operator of another matrix on the host with the options and the scale of the last call of make().
  virtual std::unique_ptr<Operator> operator_of(const CsrView& A, Precision precision) = 0;
  /// Returns the power of two by which operators are multiplied.
  virtual double scale() const = 0;
  /// Returns the entries of all levels over those of the finest one.
  virtual double operator_complexity() const = 0;
};

/// Makes levels on the GPU of a backend. Throws RunError if the build has none.
std::unique_ptr<RowLevels> make_row_levels(Backend& backend, bool keeps_patterns);

}  // namespace poisson
