#pragma once

#include <string>
#include <vector>

#include "grids/problem/media.hpp"
#include "grids/problem/problem.hpp"
#include "solver/grid_model.hpp"
#include "solver/options.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// Returns a problem with media without sources, data of faces and guesses, in which all bodies with a fixed value have
/// 0. Matrices of conductors belong to it.
Problem without_data(Problem problem);

/// Gives a region a material of its own, so that its fixed value can change alone. Returns whether it has a fixed
/// value.
bool separate_conductor(Media& media, RegionNumber region);

/// Returns the matrix of conductors: entry [i][j] is the flow out of conductor i if conductor j is at 1, and all other
/// fixed values, sources and data are 0. `model` is of a problem without_data, whose conductors are separate, and
/// `solver` of this model; all solves share its levels. Throws RunError if a solve fails. Collective.
std::vector<std::vector<double>> capacitance(GridModel& model, Solver& solver,
                                             const std::vector<RegionNumber>& conductors,
                                             const Solver::Listener& listener = {});

/// Does the same for a problem and names of its bodies. The least tolerance is 1e-10. Throws std::invalid_argument if a
/// body does not exist or has no fixed value. One process.
std::vector<std::vector<double>> capacitance(Backend& backend, const Problem& problem,
                                             const std::vector<std::string>& conductors, Options options = {});

}  // namespace poisson
