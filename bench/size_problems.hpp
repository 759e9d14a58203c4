#pragma once

#include <span>
#include <string_view>

#include "bench/sizes.hpp"
#include "grids/problem/problem.hpp"
#include "solver/options.hpp"

namespace poisson::bench {

/// Describes a problem on boxes of any size, with equal cells unless it stretches them.
struct SizeProblem {
  std::string_view name, description;
  void (*change)(Problem&);  ///< changes nodes, constant κ and u = 0 on all faces
  Method method = Method::multigrid;
};

/// Returns problems with every kind of unknowns, faces, κ and axes.
std::span<const SizeProblem> size_problems();

/// Returns the problem on a box whose longest axis has length 1.
Problem problem_of(const SizeProblem& which, const Size& size);

}  // namespace poisson::bench
