#pragma once

#include <memory>

#include "backends/transforms/diagonal_scaling.hpp"

namespace poisson {

/// Stores M1 of Σ_d K_d ⊗ M_{e≠d} over a box, as the row sums of the factors. An axis of one value has the sum 1.
struct TensorMass {
  std::array<std::vector<double>, 3> sums;
  double volume = 0;  ///< global 1ᵀM1
};

/// Removes the component of the data that no u can produce if all A u have zero sum: b −= M1 (1ᵀb)/(1ᵀM1), as
/// Operator::project_rhs does. Also computes norms Σ b²/D. Reads b once for the sum; reads and writes it once for the
/// rest.
class DataProjection {
 public:
  virtual ~DataProjection() = default;
  /// Sets amount = 1ᵀb and after = ‖b‖² of the projected data. `before` is `after` plus ‖·‖² of the removed component.
  /// If D is a multiple of M1, as for equal cells with values at nodes, `before` equals ‖b‖² of the original data.
  /// Otherwise it is at least half of that.
  void apply(Field& b, Scalar& amount, Scalar& before, Scalar& after) const {
    b.backend().timed(traffic("project rhs"), b.layout(), {Touched{b.space().unknowns().size(), b.precision()}},
                      [this, &b, &amount, &before, &after] { do_apply(b, amount, before, after); });
  }

 private:
  virtual void do_apply(Field& b, Scalar& amount, Scalar& before, Scalar& after) const = 0;
};

/// Makes a projection for fields of this space; D is the diagonal of A. The call is collective over the processes that
/// share the space.
std::unique_ptr<DataProjection> make_data_projection(Backend& backend, const Space& space, const TensorDiagonal& A,
                                                     const TensorMass& mass);

}  // namespace poisson
