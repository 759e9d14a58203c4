#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/device/backend.hpp"

namespace poisson {

/// Stores the diagonals of the factors of Σ_d K_d ⊗ M_{e≠d} + σ ⊗ M over a box. An axis of one value has stiffness 0
/// and mass 1.
struct TensorDiagonal {
  Box box;
  std::array<std::vector<double>, 3> stiffness, mass;
  double sigma = 0;

  /// Returns the entry of the diagonal from the entries of the factors on each axis.
  static constexpr double entry(double kx, double mx, double ky, double my, double kz, double mz, double sigma) {
    return kx * my * mz + mx * (ky * mz + my * (kz + sigma * mz));
  }
};

/// Applies S = √(L/A), computed from the diagonals of L and A. S L⁻¹ S preconditions A: its inverse has the diagonal of
/// A.
class DiagonalScaling {
 public:
  virtual ~DiagonalScaling() = default;
  /// Computes x = S x in the box of L.
  virtual void apply(Field& x) const = 0;
};

/// Computes S, stored in fp32. `diagonal` is the diagonal of A; it must be positive in the box.
std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal);

}  // namespace poisson
