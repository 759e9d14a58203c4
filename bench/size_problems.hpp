#pragma once

#include <span>
#include <string_view>

#include "bench/sizes.hpp"
#include "grids/problem/problem.hpp"
#include "solver/options.hpp"

namespace poisson::bench {

/// A problem on boxes of any size, of equal cells where it does not stretch them.
struct SizeProblem {
  std::string_view name, description;
  void (*change)(Problem&);  ///< what sets it apart from nodes, constant κ and u = 0 on all faces
  Method method = Method::multigrid;
};

/// Every kind of unknowns, faces, κ and axes.
std::span<const SizeProblem> size_problems();

/// The longest axis has length 1.
Problem problem_of(const SizeProblem& which, const Size& size);

}  // namespace poisson::bench
