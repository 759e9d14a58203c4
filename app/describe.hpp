#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grids/results/profile.hpp"
#include "io/config/config.hpp"
#include "io/files/summary.hpp"
#include "io/terminal/console.hpp"
#include "solver/solver.hpp"

/// What the program says of a run, in words.
namespace poisson {

/// multigrid, cg, jacobi: the method with `auto` resolved.
std::string method_name(const Options& options);
/// "multigrid V(0,5), Chebyshev (first kind, interval 12), full multigrid, mixed precision"; `options` resolved.
std::string describe_method(const Options& options);
/// The least and the widest cell along whatever axis.
std::pair<double, double> cell_widths(const Config& config);
RunHeader describe_run(const Config& config, const Discretization& discretization, const Solver& solver,
                       const Summary& summary);
/// The lines of --dry-run.
std::vector<std::string> describe_plan(const Config& config);
/// The lines of --profile. `copy`: bytes per second of a copy on the finest level; `seconds`: of the whole solve.
std::vector<std::string> describe_profile(std::span<const Profile::Entry> entries, double copy, double seconds);
/// The warning about data of a singular problem that no solution can meet.
std::string describe_incompatibility(double projected, double b_norm);

}  // namespace poisson
