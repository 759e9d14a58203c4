#pragma once

#include <array>

#include "grids/schemes/discretization.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// Return the stages of a solve that ends by its flows. The arguments must outlive the solves. `rise`: u(x + L) − u(x)
/// along periodic axes. Collective, and so are the stages.
/// The solve ends when flows through faces and out of bodies change by less than a share of the flow through the
/// domain, or at the relative residual `tolerance`.
Solver::Stages settling_stages(double share, double tolerance, const std::array<double, 3>& rise,
                               const Discretization& d, Solver& solver);
/// The solve goes on below `tolerance` until the flows of each cell balance to 1e-10 of the largest flow through a
/// face.
Solver::Stages balancing_stages(double tolerance, const std::array<double, 3>& rise, const Discretization& d,
                                Solver& solver);

/// Returns the largest |b − A u| of a cell over the largest flow through a face of a cell. Overwrites solver.spare().
/// Collective.
double unbalanced_share(const std::array<double, 3>& rise, const Discretization& d, Solver& solver);

}  // namespace poisson
