#pragma once

#include <array>
#include <optional>

#include "grids/operators/operator.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// Marks the faces whose Dirichlet data are stored in the halo of the solution.
using GivenFaces = std::array<std::array<bool, 2>, 3>;
/// Returns these faces of a problem with unknowns in cells.
GivenFaces faces_given_in_halo(const Problem& problem);

/// Computes ∫ κ|∇u|² + σu² plus the contribution of Robin faces, without the half cells at the `given` faces. The host
/// reads u, so that a large field of a device, whose copy would cost more than a solve, gives nothing. Overwrites Au
/// and `sum`; the halo of u is restored.
std::optional<double> cell_energy(const Operator& A, const GivenFaces& given, Field& u, Field& Au, Scalar& sum);

}  // namespace poisson
