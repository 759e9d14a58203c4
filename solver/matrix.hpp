#pragma once

#include <memory>

#include "grids/levels/sharing.hpp"
#include "grids/schemes/bands/matrix.hpp"
#include "solver/plan.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// Returns the options for a matrix. Multigrid uses Galerkin operators and smooths as for jumping coefficients. `auto`
/// is multigrid if A is symmetric and couples only neighbours, cg if A is symmetric otherwise, and jacobi if it is not.
Options resolve_options(const Options& options, const BandedMatrix& matrix);

/// Throws InputError if the matrix couples points that are too far apart across the cuts of `part`.
void check_couplings(const BandedMatrix& matrix, const Block& part);

/// Makes the solver of A u = b for a matrix, as make_solver does for a discretization. `sharing` is the share of this
/// process if several processes solve together. Throws InputError for a matrix that several processes do not support.
std::unique_ptr<Solver> make_solver(Backend& backend, const BandedMatrix& matrix, const Options& options,
                                    Profile* profile = nullptr, const Sharing& sharing = {});
Plan make_plan(const BandedMatrix& matrix, const Options& options, bool gpu);

}  // namespace poisson
