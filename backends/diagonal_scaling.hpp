#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/backend.hpp"

namespace poisson {

/// The diagonal of Σ_d K_d ⊗ M_{e≠d} + σ ⊗ M over a box, by those of the factors; of an axis of one value 0 and 1.
struct TensorDiagonal {
  Box box;
  std::array<std::vector<double>, 3> stiffness, mass;
  double sigma = 0;

  /// Its entry where a row of each axis has these.
  static constexpr double entry(double kx, double mx, double ky, double my, double kz, double mz, double sigma) {
    return kx * my * mz + mx * (ky * mz + my * (kz + sigma * mz));
  }
};

/// S = √(L/A) for the diagonals of two matrices, which brings a preconditioner for L to the diagonal of A: S L⁻¹ S.
class DiagonalScaling {
 public:
  virtual ~DiagonalScaling() = default;
  /// x = S x in the box of L.
  virtual void apply(Field& x) const = 0;
};

/// S is held in fp32. `diagonal`: of A, positive in the box.
std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal);
/// Bytes that it holds of a field of so many values.
std::size_t diagonal_scaling_bytes(const Layout& layout);

}  // namespace poisson
