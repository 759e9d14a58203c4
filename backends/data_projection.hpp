#pragma once

#include <memory>

#include "backends/diagonal_scaling.hpp"

namespace poisson {

/// M1 of Σ_d K_d ⊗ M_{e≠d} over a box, by the sums of the factors' rows; of an axis of one value 1.
struct TensorMass {
  std::array<std::vector<double>, 3> sums;
  double volume = 0;  ///< 1ᵀM1 over the whole grid
};

/// Takes off data what no u gives where A u has no sum: b −= M1 (1ᵀb)/(1ᵀM1), as Operator::project_rhs does, and leaves
/// norms Σ b²/D. One reading for the sum, another one and a writing for the rest.
class DataProjection {
 public:
  virtual ~DataProjection() = default;
  /// amount = 1ᵀb; after = ‖b‖² of what is left; before = that and ‖·‖² of what was taken off. This is ‖b‖² as it was
  /// where D is a multiple of M1, as of equal cells with values at nodes, and never less than half of it.
  virtual void apply(Field& b, Scalar& amount, Scalar& before, Scalar& after) const = 0;
};

/// On fields of this space; D is the diagonal of A. All processes that share the space call it together.
std::unique_ptr<DataProjection> make_data_projection(Backend& backend, const Space& space, const TensorDiagonal& A,
                                                     const TensorMass& mass);

}  // namespace poisson
