#pragma once

#include <memory>

#include "grids/levels/sharing.hpp"
#include "grids/schemes/bands/matrix.hpp"
#include "solver/plan.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// The options that a matrix takes: multigrid has Galerkin operators and smooths as for jumping coefficients; `auto`
/// is multigrid where A is symmetric and couples neighbours alone, else cg where it is symmetric, else jacobi.
Options resolve_options(const Options& options, const BandedMatrix& matrix);

/// Throws InputError where a matrix couples points that are too far apart across the cuts of a part.
void check_couplings(const BandedMatrix& matrix, const Block& part);

/// The solver of A u = b for a matrix; as make_solver for a discretization. `sharing`: what of it this process has,
/// where several solve it together. Throws InputError for a matrix that these do not take.
std::unique_ptr<Solver> make_solver(Backend& backend, const BandedMatrix& matrix, const Options& options,
                                    Profile* profile = nullptr, const Sharing& sharing = {});
Plan make_plan(const BandedMatrix& matrix, const Options& options, bool gpu);

}  // namespace poisson
