#pragma once

#include <memory>
#include <optional>

#include "backends/device/backend.hpp"
#include "grids/operators/operator.hpp"
#include "solver/options.hpp"
#include "solver/traits.hpp"

namespace poisson {

/// Contains A u = b and the fields and scalars that all iterations on it share.
struct Equation {
  /// `A` is the operator of the solution; `options` must be resolved. `restores` allocates an iterate to restore.
  Equation(std::shared_ptr<const Operator> A, const Options& options, Traits traits, bool restores);

  /// Replaces the operator, which has the same space and precision, and what belongs to it.
  void replace(std::shared_ptr<const Operator> A, const Options& options, Traits traits, bool restores);

  /// Allocates a field like u.
  Field field() const { return Field(backend, A->space(), A->precision()); }
  /// Allocates r, p and q if they do not exist.
  void allocate_directions();
  /// Returns ‖b − Au‖² of the current u and leaves the residual in r. Allocates the directions if needed.
  double true_norm();
  /// Returns ‖x‖, or the norm of the guess if all data are zero, because nothing else gives a scale.
  double size_of(const Field& x);
  /// Returns ∫ κ|∇u|² + σu² plus the contribution of Robin faces, or nothing if it is not available. Overwrites q.
  std::optional<double> energy();

  std::shared_ptr<const Operator> A;
  Backend& backend;
  Options options;
  Traits traits;
  double count;    ///< unknowns
  double epsilon;  ///< unit roundoff of u
  Field u, b;
  Field best;                      ///< iterate to restore; may be empty
  Field r, p, q;                   ///< residual, direction and A p of conjugate gradients; may be empty
  Scalar norm;                     ///< of the residual, squared
  Scalar scale, inverse, applied;  ///< of corrections: a power of two, its inverse, and the inverse of the last one
  Scalar alpha, beta, pq;          ///< of conjugate gradients
  Scalar work, one, zero;
  double guess_size = 0;  ///< ‖guess‖ if residuals are relative to the residual of the guess
};

}  // namespace poisson
